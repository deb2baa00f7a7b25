"""Random numbers inside kernels: a permuted congruential generator (PCG-XSH-RS) of 63 bits.

The state is one integer that the caller keeps, so that a seed reproduces everything and threads
share nothing:

    state = roll(state)
    move = below(state, 7)
"""

from fourlab.core.bits import add63, multiply63
from fourlab.core.jit import kernel

MULTIPLIER = 6364136223846793005
INCREMENT = 1442695040888963407
WORD = 0xFFFFFFFF


@kernel
def seeded(seed: int) -> int:
    """Return the state for a seed; nearby seeds give unrelated states."""
    return roll(roll(add63(multiply63(seed, MULTIPLIER), 0x5851F42D4C957F2D)))


@kernel
def roll(state: int) -> int:
    """Return the next state; its period is 2**63."""
    return add63(multiply63(state, MULTIPLIER), INCREMENT)


@kernel
def word(state: int) -> int:
    """Return 32 random bits of a state."""
    return (((state >> 22) ^ state) >> ((state >> 60) + 21)) & WORD


@kernel
def below(state: int, n: int) -> int:
    """Return a uniform integer in [0, n), for n below 2**31."""
    return (word(state) * n) >> 32


@kernel
def chance(state: int) -> float:
    """Return a uniform float in [0, 1)."""
    return word(state) * (1.0 / 4294967296.0)
