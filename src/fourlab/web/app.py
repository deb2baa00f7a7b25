"""The application: made by a factory, so that it can be started, stopped and started again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from nicegui import app as nicegui
from nicegui import ui

from fourlab.version import __version__
from fourlab.web.api import add_api
from fourlab.web.cookie import KNOWN_SECONDS, OldCookie, cookie_name, kept_secret
from fourlab.web.guard import LOCAL_NAMES, Guard, hush
from fourlab.web.laboratory import Laboratory
from fourlab.web.limits import MOST_PAGES, MOST_PAGES_EACH
from fourlab.web.pages import register
from fourlab.web.studies.files import add_files

FAVICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28">'
    '<rect width="28" height="28" rx="7" fill="#31488F"/>'
    '<circle cx="9" cy="9" r="3.4" fill="#E2583F"/><circle cx="19" cy="9" r="3.4" fill="#fff"/>'
    '<circle cx="9" cy="19" r="3.4" fill="#F3B94A"/>'
    '<circle cx="19" cy="19" r="3.4" fill="#E2583F"/>'
    "</svg>"
)
RECONNECT_SECONDS = 5.0
TAB_SECONDS = 60.0  # for which NiceGUI keeps a tab's notes, of which no page of ours has any


def create_app(host: str = "127.0.0.1", threads: int = 0, keep: Path | None = None) -> FastAPI:
    """Return the web laboratory as an application that any ASGI server can run.

    `host` is the address it will listen on: on a loopback address only local names are served.
    What visitors make is kept in the folder `keep`, or else in the user's data folder.
    """
    pages_each = MOST_PAGES if host in LOCAL_NAMES else MOST_PAGES_EACH
    laboratory = Laboratory(threads, pages_each, keep)
    secret = kept_secret(laboratory.keep.root)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        laboratory.open(asyncio.get_running_loop())
        yield
        laboratory.close()

    app = FastAPI(
        title="fourlab",
        version=__version__,
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,  # the usual pages load scripts from another host; ours does not
        redoc_url=None,
    )
    add_api(app, laboratory)
    add_files(app)
    register(laboratory)
    ui.run_with(
        app,
        title="fourlab",
        favicon=FAVICON,
        dark=None,
        language="en-US",
        tailwind=False,
        reconnect_timeout=RECONNECT_SECONDS,
        binding_refresh_interval=None,
        storage_secret=secret,
        session_middleware_kwargs={"max_age": KNOWN_SECONDS, "session_cookie": cookie_name(secret)},
        show_welcome_message=False,
    )
    nicegui.storage.max_tab_storage_age = TAB_SECONDS
    app.add_middleware(OldCookie, secret=secret)
    app.add_middleware(Guard, host=host)
    hush()
    return app
