"""The README as a package index shows it: no link or picture leads into the repository."""

import re
from pathlib import Path

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ImportError:  # only who builds needs it

    class MetadataHookInterface:  # type: ignore[no-redef]
        """Stands for what hatchling derives from."""


LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|#|mailto:)([^)\s]+)\)")


def portable(text: str, home: str) -> str:
    """Return a README whose relative links lead to the project's home; without one, bare texts."""

    def link(found: re.Match[str]) -> str:
        picture, words, path = found.groups()
        if home:
            kind = "raw" if picture else "blob"
            return f"{picture}[{words}]({home.rstrip('/')}/{kind}/main/{path})"
        return "" if picture else words

    return LINK.sub(link, text)


class CustomMetadataHook(MetadataHookInterface):
    """Gives the package its long description."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, object]) -> None:
        """Put the README into the metadata, with links that work."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        home = str(self.config.get("home", ""))
        metadata["readme"] = {"content-type": "text/markdown", "text": portable(text, home)}
