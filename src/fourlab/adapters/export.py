"""An agent as one file for Kaggle: the sources that it needs, and a function `agent` at the end.

The file carries the very modules that play here, as readable text, under a package name of its own,
so that it neither needs nor disturbs an installed fourlab.
"""

import ast
import base64
import hashlib
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from fourlab.adapters.kaggle import kind_of
from fourlab.agents.registry import agent
from fourlab.version import __version__

PACKAGE = Path(__file__).parent.parent
RUNTIME = "fourlab.adapters.thinker"
LOADER = PACKAGE / "adapters" / "bundle.py"
DATA = {"fourlab.search.book": "search/books"}  # what a module reads besides its source

HEAD = '''"""{spec}: a player for Kaggle's ConnectX, exported from fourlab {version} (MIT licence).

Submit this file as it is. It plays on every board and as either player, thinks within `actTimeout`
and its share of `remainingOverageTime`, and needs numpy; numba makes it some hundred times faster.
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
    return import_module(f"{{package}}.{runtime}").make_thinker(kind, {spec!r}, grid)


_submission = Submission(_make, lambda grid: _make(grid, PLAIN))


def agent(obs, config):
    return _submission(obs, config)
"""


def export_kaggle(spec: str) -> str:
    """Return the source of a submission that plays an agent; raises SpecError if it cannot."""
    kind = kind_of(spec)
    modules = needed_modules([RUNTIME, kind.__module__])
    sources = {path_of(module): source_of(module) for module in modules}
    data = {
        path.relative_to(PACKAGE).as_posix(): path.read_bytes()
        for module, folder in DATA.items()
        for path in sorted((PACKAGE / folder).iterdir())
        if module in modules
    }
    digest = hashlib.sha256(repr((sorted(sources.items()), data)).encode())
    package = f"fourlab_{digest.hexdigest()[:12]}"
    entries = "".join(
        f"    {f'{package}/{path}'!r}: {quoted(renamed(text, package))},\n"
        for path, text in sources.items()
    )
    blobs = "".join(
        f"    {f'{package}/{path}'!r}: {encoded(blob)},\n" for path, blob in data.items()
    )
    return "".join(
        (
            HEAD.format(spec=agent(spec).spec, version=__version__),
            f"\nSOURCES = {{\n{entries}}}\n\nDATA = {{\n{blobs}}}\n\n",
            LOADER.read_text(encoding="utf-8").split('"""', 2)[2].lstrip(),
            TAIL.format(
                package=package,
                module=kind.__module__.removeprefix("fourlab."),
                kind=kind.__name__,
                runtime=RUNTIME.removeprefix("fourlab."),
                spec=spec,
            ),
        )
    )


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
    """Yield the modules of fourlab that a module imports anywhere but for its type hints."""
    if module == "fourlab":
        return
    tree = ast.parse((PACKAGE / path_of(module)).read_text(encoding="utf-8"))
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
    return literal if ast.literal_eval(literal) == text else repr(text)


def encoded(blob: bytes) -> str:
    """Return a literal of bytes in base64."""
    return '"""\n' + "\n".join(textwrap.wrap(base64.b64encode(blob).decode(), 99)) + '\n"""'
