"""The dice inside kernels: in range, uniform, and the same jitted and plain."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from fourlab.core.dice import below, chance, roll, seeded, word

STATES = st.integers(0, 2**63 - 1)


@given(STATES)
def test_rolling_equals_its_definition(state: int) -> None:
    following = (state * 6364136223846793005 + 1442695040888963407) % 2**63
    assert roll(state) == following
    assert word(state) == ((state >> 22 ^ state) >> (state >> 60) + 21) % 2**32


@given(STATES, st.integers(1, 2**31 - 1))
def test_numbers_stay_in_range(state: int, n: int) -> None:
    assert 0 <= below(state, n) < n
    assert 0 <= chance(state) < 1
    assert 0 <= seeded(state) < 2**63


def test_numbers_are_uniform() -> None:
    state, throws = seeded(1), 70_000
    counts = [0] * 7
    pairs = [0] * 49
    previous = 0
    for _ in range(throws):
        state = roll(state)
        number = below(state, 7)
        counts[number] += 1
        pairs[previous * 7 + number] += 1
        previous = number

    def chi_square(observed: list[int]) -> float:
        expected = throws / len(observed)
        return sum((count - expected) ** 2 / expected for count in observed)

    # 99.9% quantiles of the chi-square distribution with 6 and 48 degrees of freedom.
    assert chi_square(counts) < 22.5
    assert chi_square(pairs) < 84.0


def test_seeds_that_lie_together_give_unrelated_states() -> None:
    states = [seeded(seed) for seed in range(1000)]
    assert len(set(states)) == 1000
    assert len({word(state) for state in states}) > 990
    differing = [(a ^ b).bit_count() for a, b in itertools.pairwise(states)]
    assert sum(differing) / len(differing) > 25
