"""The files of studies over HTTP: pictures of cards, reports for pages, reports to keep."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, FastAPI, HTTPException
from fastapi.responses import HTMLResponse, Response
from starlette.requests import Request

from fourlab.core.errors import FourlabError
from fourlab.web.api import think
from fourlab.web.laboratory import Laboratory
from fourlab.web.studies.library import FULL, Library, Size
from fourlab.web.workbench import DRAWING

router = APIRouter(prefix="/studies", include_in_schema=False)


def _library(request: Request, name: str) -> Library:
    """Return the library; answers 404 where it has no study of that name."""
    laboratory: Laboratory = request.app.state.laboratory
    try:
        laboratory.library.study(name)
    except FourlabError as error:
        raise HTTPException(404, str(error)) from None
    return laboratory.library


@router.get("/{name}/picture")
async def picture(request: Request, name: str) -> Response:
    """Return the figure that stands for a study, as SVG for the inside of a page."""
    library = _library(request, name)
    return HTMLResponse(await think(request, lambda _: library.picture(name), pool=DRAWING))


@router.get("/{name}/report")
async def report(request: Request, name: str, run: Size = FULL) -> Response:
    """Return a report for the inside of a page."""
    library = _library(request, name)
    text = await think(request, lambda _: library.report(name, run, "fragment"), pool=DRAWING)
    return HTMLResponse(text)


@router.get("/{name}/report.{form}")
async def download(
    request: Request, name: str, form: Literal["html", "zip"], run: Size = FULL
) -> Response:
    """Return a report as a file: with everything inside, or as Markdown beside its figures."""
    library = _library(request, name)
    made = await think(request, lambda _: library.report(name, run, form), pool=DRAWING)
    kind = "text/html" if form == "html" else "application/zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}-{run}.{form}"'}
    return Response(made, media_type=kind, headers=headers)


def add_files(app: FastAPI) -> None:
    """Give an application the files of studies."""
    app.include_router(router)
