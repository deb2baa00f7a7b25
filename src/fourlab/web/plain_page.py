"""Pages without a session: the frame, the theme and its switch, and what stands on them."""

from __future__ import annotations

from html import escape

from nicegui import app
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from fourlab.web.frame import PAGES, THEME
from fourlab.web.live import STATIC_URL

DOORS = {
    "play": "A board, an opponent of any strength, and what every move was worth",
    "learn": "A learner at work, and its values as they move",
    "arena": "Players against each other, with intervals",
    "analyse": "Any position, exactly",
    "studies": "Published experiments, rerun",
    "certificate": "Players proven against every reply",
    "api": "The same for programs",
}
# Icons are drawn once the page is there: without scripts its words stand alone.
SCRIPT = f"""<script type="module">
import {{ PAGE_ICONS, PATHS }} from "{STATIC_URL}/icons.js";
const drawn = (name) => '<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d="' +
  PATHS[name] + '"/></svg>';
for (const link of document.querySelectorAll(".bottom-bar a"))
  link.insertAdjacentHTML("afterbegin", drawn(PAGE_ICONS[link.getAttribute("href").slice(1)]));
document.querySelector(".shelf-link").insertAdjacentHTML("afterbegin", drawn("shelf"));
const button = document.querySelector("[data-switch]"), root = document.documentElement;
const show = () => {{ button.innerHTML = drawn(root.dataset.theme === "dark" ? "sun" : "moon"); }};
button.addEventListener("click", () => {{
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  localStorage.setItem("fourlab-theme", root.dataset.theme);
  show();
}});
show();
</script>"""
MOST_SHOWN = 200  # characters of an address


def plain_page(title: str, body: str, current: str = "") -> str:
    """Return a page in the frame of the others, with their name and theme."""
    links = "".join(
        f'<a href="/{name}"{_mark(name == current)}>{name.capitalize()}</a>' for name in PAGES
    )
    if current and current not in PAGES:
        links += f'<a href="/{current}" aria-current="page">{escape(title)}</a>'
    return f"""<!doctype html><html lang="en-US" data-theme="light"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} · fourlab</title>
<link rel="stylesheet" href="{STATIC_URL}/fourlab.css">
<link rel="stylesheet" href="{STATIC_URL}/home.css">
<link rel="stylesheet" href="{STATIC_URL}/shelf.css">
<link rel="stylesheet" href="{STATIC_URL}/windows.css">
{THEME}</head><body>
<header class="header"><a class="brand" href="/">
<img src="/favicon.ico" width="28" height="28" alt=""><b>fourlab</b></a>
<nav class="tabs" aria-label="Pages">{links}</nav>
<a class="shelf-link" href="/shelf" aria-label="Shelf"><span>Shelf</span></a>
<button class="plain" type="button" data-switch aria-label="Light or dark"></button></header>
{body}<nav class="bottom-bar" aria-label="Pages">{links}</nav>{SCRIPT}</body></html>"""


def _mark(is_current: bool) -> str:
    return ' aria-current="page"' if is_current else ""


def lost_page(address: str) -> str:
    """Return the page of an address that does not exist: what was asked, and what there is."""
    asked = escape(address[:MOST_SHOWN]) + ("…" if len(address) > MOST_SHOWN else "")
    doors = "".join(
        f'<a href="/{name}"><span><b>{"API" if name == "api" else name.capitalize()}</b>'
        f"<span>{text}</span></span></a>"
        for name, text in DOORS.items()
    )
    body = f"""<main class="main"><div class="nowhere card"><section><h1>There is no such page</h1>
<p>You asked for <code>{asked}</code>. Links to runs, games and events end when they are deleted,
or when nobody has opened them for a long time.</p>
<p class="actions"><a class="primary" href="/">Home</a><a class="outline" href="/shelf">Shelf</a>
</p></section><nav class="doors" aria-label="What there is">{doors}</nav></div></main>"""
    return plain_page("No such page", body)


def add_lost_page() -> None:
    """Answer every unknown address with a page of ours; programs get JSON."""

    def lost(request: Request, error: Exception) -> Response:
        path = request.url.path
        detail = str(getattr(error, "detail", "Not Found"))
        if path.startswith(("/api/", "/_nicegui")):
            return JSONResponse({"detail": detail}, 404)
        return HTMLResponse(lost_page(path), 404)

    app.add_exception_handler(404, lost)
