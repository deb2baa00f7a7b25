"""An agent as one file for Kaggle: the sources that it needs, and a function `agent` at the end.

The file carries the very modules that play here, as readable text, under a package name of its own,
so that it neither needs nor disturbs an installed fourlab.
"""

import ast
import base64
import contextlib
import hashlib
import importlib.resources
import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from fourlab.adapters.kaggle import player_of, submission_spec
from fourlab.adapters.own_file import EXPORTED, as_it_is, own_text
from fourlab.adapters.own_file import MODULE as OWN
from fourlab.agents.base import Agent
from fourlab.agents.engine import EngineAgent
from fourlab.agents.learned import Learned
from fourlab.agents.net import NetworkAgent
from fourlab.core.errors import SpecError
from fourlab.core.files import text_of
from fourlab.core.spec import write
from fourlab.core.storage import StorageError, reading
from fourlab.values.packing import visits_to_keep
from fourlab.version import __version__

PACKAGE = importlib.resources.files("fourlab")  # which may lie in an archive
RUNTIME = "fourlab.adapters.thinker"
ADAPTER = "fourlab.agents.function"  # makes agents of people's own functions
LOADER = PACKAGE / "adapters" / "bundle.py"
DATA = {"fourlab.search.book": "search/books"}  # what a module reads besides its source
LARGEST = 40_000_000  # bytes of a file; Kaggle takes 100 MB, and reading it costs time and memory
ADVISED = 0.8  # share of the room to aim at: fewer values take more room each

HEAD = '''r"""{spec}: a player for Kaggle's ConnectX, {exported} {version} (MIT licence).

Submit this file as it is. It plays as either player, thinks within `actTimeout` and its share of
`remainingOverageTime`, and needs numpy; numba makes it some hundred times faster.
{about}
Below: the modules of fourlab that it uses, as text; how they are imported; and `agent` at the end.
"""

import base64
from importlib import import_module
'''

TAIL = """
PACKAGE, PLAIN = "{package}", "{package}_plain"
FILES = {{
    **{{path: text.encode() for path, text in SOURCES.items()}},
    **{{path: base64.b64decode(text) for path, text in DATA.items()}},
}}
install(PACKAGE, FILES)
install(PLAIN, plain_copy(PACKAGE, PLAIN, FILES))

from {package}.adapters.submission import Submission  # noqa: E402


def _make(grid, package=PACKAGE):
    kind = getattr(import_module(f"{{package}}.{module}"), "{kind}")
    adapt = import_module(f"{{package}}.agents.function").adapt if {own} else lambda kind, *_: kind
    kind = adapt(kind, "{kind}", ())
    return import_module(f"{{package}}.{runtime}").make_thinker(kind, {spec!r}, grid, **CARRIED)


_submission = Submission(_make, lambda grid: _make(grid, PLAIN))


def agent(obs, config):
    return _submission(obs, config)
"""


def export_kaggle(spec: str) -> str:
    """Return the source of a submission that plays an agent.

    Raises SpecError if it cannot play there, StorageError if it knows too much for one file.
    """
    player = player_of(spec)
    if isinstance(player, EngineAgent):
        raise SpecError(f"{player.spec} is a program of its own, which Kaggle does not start")
    if (finished := as_it_is(player)) is not None:
        return finished
    kind = type(player)
    source = own_text(player)
    if source is None and not is_module(kind.__module__):
        raise SpecError(
            f"agent {player.name!r} is made by {kind.__module__}, which is not of fourlab: a file "
            "could not carry it; on Kaggle, submit the program that it comes from"
        )
    own = source is not None
    roots = [kind.__module__] if source is None else [ADAPTER, *imports_in(source)]
    modules = needed_modules([RUNTIME, *roots])
    sources = {path_of(module): source_of(module) for module in modules}
    if source is not None:
        sources[f"{OWN}.py"] = source
    data = {
        f"{folder}/{path.name}": path.read_bytes()
        for module, folder in DATA.items()
        for path in sorted((PACKAGE / folder).iterdir(), key=lambda path: path.name)
        if module in modules
    }
    carried = _carried(player)
    digest = hashlib.sha256(repr((sorted(sources.items()), data)).encode())
    package = f"fourlab_{digest.hexdigest()[:12]}"
    entries = "".join(
        f"    {f'{package}/{path}'!r}: {quoted(renamed(text, package))},\n"
        for path, text in sources.items()
    )
    blobs = "".join(
        f"    {f'{package}/{path}'!r}: {encoded(blob)},\n" for path, blob in data.items()
    )
    parts = "".join(
        f"    {name!r}: base64.b64decode({encoded(blob)}),\n" for name, blob in carried.items()
    )
    text = "".join(
        (
            HEAD.format(
                spec=player.spec.replace('"', "'"),
                exported=EXPORTED,
                version=__version__,
                about=_about(player, carried),
            ),
            f"\nSOURCES = {{\n{entries}}}\n\nDATA = {{\n{blobs}}}\n\n",
            f"CARRIED = {{\n{parts}}}\n\n",
            LOADER.read_text(encoding="utf-8").split('"""', 2)[2].lstrip(),
            TAIL.format(
                package=package,
                module=OWN if own else kind.__module__.removeprefix("fourlab."),
                kind=kind.__name__,
                own=own,
                runtime=RUNTIME.removeprefix("fourlab."),
                spec=submission_spec(player, spec),
            ),
        )
    )
    if carried and len(text) > LARGEST:
        raise StorageError(_too_large(player, len(text)))
    return text


def is_submission(path: Path) -> bool:
    """Return whether a file is one that was exported; raises StorageError if it cannot be read."""
    with reading(path):
        return EXPORTED in text_of(path)


def _carried(player: Agent) -> dict[str, bytes]:
    """Return the contents of files that the agent is made with; raises SpecError without torch."""
    if isinstance(player, NetworkAgent) and player.config.device != "cpu":
        raise SpecError(f"{player.spec} needs torch; for Kaggle, leave out device=")
    return player.carried()


def _about(player: Agent, carried: dict[str, bytes]) -> str:
    """Say in a line what the agent knows of other boards."""
    if not carried:
        return "It plays on every board."
    return f"What it learned is about {player.rules}; on other boards a simple player answers."


def _too_large(player: Agent, size: int) -> str:
    """Say how an agent that learned can be made to fit."""
    problem = f"{player.spec} makes a file of {size:,} bytes, {LARGEST:,} is the most"
    if not isinstance(player, Learned):
        return f"{problem}; train a network of fewer blocks or less width"
    values = len(base64.b64encode(player.carried()["knowledge"]))
    share = ADVISED * (LARGEST - (size - values)) / values
    visits = visits_to_keep(player.knowledge, max(share, 0.0))
    if visits is None:
        return f"{problem}; train fewer or shorter tuples, such as n-tuple:tuples=40,length=7"
    fitting = write(player.name, replace(player.config, visits=visits))
    return f"{problem}; leave out what was seldom taught: {fitting}"


def needed_modules(roots: list[str]) -> list[str]:
    """Return the modules of fourlab that these import, directly or not, with their packages."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            parts = module.split(".")
            waiting += [".".join(parts[:count]) for count in range(1, len(parts))]
            waiting += imports_of(module)
    return sorted(found)


def imports_of(module: str) -> Iterator[str]:
    """Yield the modules of fourlab that a module imports."""
    if module == "fourlab":
        return
    yield from imports_in((PACKAGE / path_of(module)).read_text(encoding="utf-8"))


def imports_in(source: str) -> Iterator[str]:
    """Yield the modules of fourlab that a source imports anywhere but for its type hints."""
    tree = ast.parse(source)
    hints = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in hints:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fourlab"):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in [str(node.module), *names] if is_module(name))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if is_module(alias.name))


def is_module(name: str) -> bool:
    """Return whether a dotted name is a module of fourlab."""
    return name.split(".")[0] == "fourlab" and (PACKAGE / path_of(name)).is_file()


def path_of(module: str) -> str:
    """Return the path of a module within the package."""
    stem = "/".join(module.split(".")[1:])
    if not stem or (PACKAGE / stem).is_dir():
        return f"{stem}/__init__.py".lstrip("/")
    return f"{stem}.py"


def source_of(module: str) -> str:
    """Return the source of a module; the package itself has nothing to offer in a submission."""
    if module == "fourlab":
        return ""
    return (PACKAGE / path_of(module)).read_text(encoding="utf-8")


def renamed(source: str, package: str) -> str:
    """Return a source that imports from another package instead of fourlab."""
    return re.sub(
        r"^(\s*(?:from|import) )fourlab\b", rf"\g<1>{package}", source, flags=re.MULTILINE
    )


def quoted(text: str) -> str:
    """Return a literal of a text, readable where that can be."""
    literal = f"r'''{text}'''"
    with contextlib.suppress(SyntaxError):  # a text may hold such quotes itself
        if ast.literal_eval(literal) == text:
            return literal
    return repr(text)


def encoded(blob: bytes) -> str:
    """Return a literal of bytes in base64."""
    return '"""\n' + "\n".join(textwrap.wrap(base64.b64encode(blob).decode(), 99)) + '\n"""'
