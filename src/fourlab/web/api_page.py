"""The page that describes the API, made from its own description; nothing from afar."""

from html import escape
from typing import Any
from urllib.parse import urlencode

from fourlab.web.plain_page import plain_page

EXAMPLES: dict[str, dict[str, str]] = {
    "/api/analyse": {"moves": "4445423633442655"},
    "/api/decide": {"agent": "mcts:sims=200", "moves": "4445"},
    "/api/games": {},
    "/api/agents": {},
}


def api_page(description: dict[str, Any]) -> str:
    """Return the page for an OpenAPI description."""
    cards = [
        _card(method, path, operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]
    body = f"""<main class="main api"><h1>API</h1><p class="note">Answers are JSON, held to the
limits of this laboratory. The description for programs:
<a href="/api/openapi.json">openapi.json</a>.</p>
{"".join(cards)}</main>"""
    return plain_page("API", body, "api")


def _card(method: str, path: str, operation: dict[str, Any]) -> str:
    rows = [
        f"<tr><td><code>{escape(one['name'])}</code></td><td>{_default(one)}</td>"
        f"<td>{escape(one['schema'].get('description', one.get('description', '')))}</td></tr>"
        for one in operation.get("parameters", [])
    ]
    example = ""
    if method == "get":
        address = path + ("?" + urlencode(EXAMPLES[path]) if EXAMPLES.get(path) else "")
        example = f'<p>Try <a href="{escape(address)}"><code>{escape(address)}</code></a></p>'
    elif "requestBody" in operation:
        example = (
            "<p>Send <code>"
            + escape('{"game": "connect4", "first": "mcts:sims=200", "second": "baseline"}')
            + "</code></p>"
        )
    table = f"<table>{''.join(rows)}</table>" if rows else ""
    return (
        f'<section class="card padded"><h2><span class="tag draw">{method.upper()}</span> '
        f"<code>{escape(path)}</code></h2><p>{escape(operation.get('description', ''))}</p>"
        f"{table}{example}</section>"
    )


def _default(parameter: dict[str, Any]) -> str:
    default = parameter["schema"].get("default")
    return "" if default in (None, "") else f"<code>{escape(str(default))}</code>"
