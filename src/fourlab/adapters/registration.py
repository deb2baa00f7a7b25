"""The games under Gymnasium's ids: `gymnasium.make("fourlab/ConnectFour-v0", opponent="minimax")`.

Gymnasium looks for no packages, and importing it takes longer than importing fourlab. So `import
fourlab` registers them where Gymnasium is loaded, and otherwise waits until somebody loads it.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as in `typing`, whose import is half of that of fourlab
if TYPE_CHECKING:
    from typing import Any

    from fourlab.rules.geometry import Rules

PEER = "gymnasium"


class Waiting:
    """Stands before the finders of modules: once they have loaded Gymnasium, it registers."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return how the others load Gymnasium, and more; nothing for any other module."""
        if name != PEER:
            return None
        others = [finder for finder in sys.meta_path if finder is not self]
        found = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_register(module: Any) -> None:
                load(module)
                sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
                register()

            spec.loader.exec_module = load_and_register  # type: ignore[method-assign]
        return spec


def offer() -> None:
    """Register the games with Gymnasium, now or when it is imported."""
    if hasattr(sys.modules.get(PEER), "register"):
        register()
    elif not any(isinstance(finder, Waiting) for finder in sys.meta_path):
        sys.meta_path.insert(0, Waiting())


def environment_id(title: str) -> str:
    """Return the id of a game by its title: `fourlab/TicTacToe-v0`."""
    import re

    words = re.split(r"\W+", title)
    return f"fourlab/{''.join(word.capitalize() for word in words)}-v0"


def register() -> None:
    """Register every game of the catalogue by its title, and the families by their names.

    Of a family, `game="connect:columns=5,rows=4,k=4"` says which board.
    """
    import gymnasium

    from fourlab.rules.catalog import FAMILIES, GAMES

    titles = {name: title for name, (_, title) in GAMES.items()}
    for name, title in {**titles, **{name: name for name in FAMILIES}}.items():
        if environment_id(title) not in gymnasium.registry:
            gymnasium.register(
                environment_id(title),
                entry_point="fourlab.adapters.gymnasium:NamedEnv",
                vector_entry_point="fourlab.adapters.vector:NamedVectorEnv",
                kwargs={"name": name},
            )


def board_of(name: str, game: str | Rules | None) -> Rules:
    """Return the board of an id; raises SpecError for a `game` that it does not stand for."""
    from fourlab.core.errors import SpecError
    from fourlab.rules.catalog import FAMILIES
    from fourlab.rules.catalog import game as find_game

    rules = find_game(name if game is None else game)
    family = "connect" if rules.gravity else "mnk"
    if (family != name) if name in FAMILIES else (rules != find_game(name)):
        raise SpecError(
            f"game={str(game)!r} is no board of {name}; "
            f'write gymnasium.make("{environment_id(family)}", game=...)'
        )
    return rules
