"""Random games a second on 7x6, beside pgx where it is installed (see requirements.txt).

Run with `python -m benchmarks.playouts`.
"""

import importlib.util
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from benchmarks.harness import Contestant, measure, report
from fourlab.core.dice import seeded
from fourlab.rules.catalog import game
from fourlab.search.choices import playouts_on

GAMES = 2_000_000
PGX_BATCH = 8192


def fourlab_games(threads: int) -> Callable[[], object]:
    playouts = playouts_on(game("connect4"))
    pool = ThreadPoolExecutor(threads)
    share = GAMES // threads

    def run() -> object:
        return list(pool.map(lambda seed: playouts(share, seeded(seed)), range(threads)))

    return run


def pgx_games() -> Callable[[], object]:
    """Play one batch of random games to their ends, all inside one compiled loop."""
    import jax
    import jax.numpy as jnp
    import pgx

    env = pgx.make("connect_four")
    init, step = jax.vmap(env.init), jax.vmap(env.step)

    @jax.jit
    def batch(key: jax.Array) -> jax.Array:
        key, start = jax.random.split(key)
        state = init(jax.random.split(start, PGX_BATCH))

        def body(carry):
            key, state = carry
            key, draw = jax.random.split(key)
            logits = jnp.where(state.legal_action_mask, 0.0, -1e9)
            return key, step(state, jax.random.categorical(draw, logits, axis=1))

        def going_on(carry):
            return ~carry[1].terminated.all()

        return jax.lax.while_loop(going_on, body, (key, state))[1].rewards

    return lambda: batch(jax.random.key(1)).block_until_ready()


def main() -> None:
    contestants = [
        Contestant("fourlab, one thread", fourlab_games(1), GAMES),
        Contestant(f"fourlab, {os.cpu_count()} threads", fourlab_games(os.cpu_count() or 1), GAMES),
    ]
    if importlib.util.find_spec("pgx"):
        # One core for the peer too: XLA reads this before jax is first imported.
        os.environ["XLA_FLAGS"] = (
            "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        )
        contestants.append(Contestant("pgx, one batch of 8192", pgx_games(), PGX_BATCH))
    report("Random games on 7x6", "games/s", measure(contestants))


if __name__ == "__main__":
    main()
