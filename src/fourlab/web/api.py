"""The API: what the pages know, for programs. Typed, checked, and held to the same limits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import numpy as np
from fastapi import APIRouter, Depends, FastAPI, HTTPException, Query
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.routing import Route

from fourlab.agents.base import Agent, Decision
from fourlab.agents.play import GameInPlay
from fourlab.agents.registry import AGENTS
from fourlab.core.errors import FourlabError
from fourlab.core.limit import Limit
from fourlab.core.registry import summary
from fourlab.core.spec import options_of, show_value
from fourlab.rules.catalog import game as find_game
from fourlab.rules.position import Position
from fourlab.search.analysis import analyse as analyse_position
from fourlab.web.api_page import api_page
from fourlab.web.laboratory import Laboratory
from fourlab.web.limits import (
    KEPT,
    MOST_MOVES,
    MOST_SPEC,
    MOVE_SECONDS,
    public_agents,
    read_agent,
    read_game,
)
from fourlab.web.sessions.notation import moves_of
from fourlab.web.sessions.truth import solver_of
from fourlab.web.telling import without_places
from fourlab.web.warm import task_named, task_of
from fourlab.web.words import OFFERED_GAMES, title_of
from fourlab.web.workbench import MOVES, BusyError, Job, pool_of

GAME_SECONDS = 20.0
LOOK_SECONDS = 0.25  # between two looks whether the asker is still there
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
T = TypeVar("T")

GameSpec = Annotated[str, Query(max_length=MOST_SPEC, description="such as connect4")]
Moves = Annotated[str, Query(max_length=MOST_MOVES, description="the moves played, such as 4455")]
AgentSpec = Annotated[str, Query(max_length=MOST_SPEC, description="such as mcts:sims=200")]
Seed = Annotated[int, Query(ge=0, lt=2**63, description="the same seed gives the same answer")]
Seconds = Annotated[float, Query(gt=0, le=MOVE_SECONDS, description="when to give up")]


class Problem(BaseModel):
    """Why a request was refused: what was asked, and what would do."""

    detail: str


class Scores(BaseModel):
    """The exact score of every move, seen by the side to move; null where there is none."""

    game: str
    moves: str
    scores: list[int | None]
    best: list[int] = Field(description="the best moves, counted from 1")
    value: int | None
    outcome: str | None
    nodes: int
    seconds: float
    source: str
    bounds: dict[str, list[int]] | None = Field(
        None, description="low and high where the time did not suffice"
    )


class Choice(BaseModel):
    """What an agent would play, and why. Moves count from 1; lists have an entry for each move."""

    game: str
    moves: str
    agent: str
    seed: int
    move: int
    values: list[float | None] | None = Field(description="1 a win, 0 a draw, -1 a loss")
    raw: list[float | None] | None = Field(description="the same in the agent's own unit")
    policy: list[float] | None
    visits: list[int] | None
    line: list[int]
    effort: int
    seconds: float


class NewGame(BaseModel, extra="forbid"):
    """A game to be played between two agents."""

    game: str = Field("connect4", max_length=MOST_SPEC)
    first: str = Field("mcts:sims=200", max_length=MOST_SPEC)
    second: str = Field("baseline", max_length=MOST_SPEC)
    moves: str = Field("", max_length=MOST_MOVES, description="where it starts")
    seed: int = Field(0, ge=0, lt=2**63)


class Record(BaseModel):
    """A game that was played; `outcome` is first, second, draw, or in progress if time ran out."""

    game: str
    first: str
    second: str
    seed: int
    moves: str
    outcome: str
    seconds: list[float] = Field(description="that the first and the second player thought")
    move_seconds: list[float] = []
    plies: int = Field(0, description="moves played before it began")


class Offer(BaseModel):
    """Something that can be named in a request."""

    spec: str
    title: str
    options: dict[str, str] = {}


REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The game, the moves or the agent cannot be used"},
    503: {"model": Problem, "description": "Too much to do at the moment"},
}


async def _check_names(request: Request) -> None:
    """Refuse what would be passed over: a name that an address does not know, or twice the same."""
    known = [one.name for one in request.scope["route"].dependant.query_params]
    for name in request.query_params:
        if name not in known:
            asked = ", ".join(known) or "nothing"
            raise FourlabError(f"{name[:40]!r} is nothing that can be asked here; {asked}")
        if len(request.query_params.getlist(name)) > 1:
            raise FourlabError(f"{name!r} is said twice; say it once")


router = APIRouter(prefix="/api", tags=["api"], dependencies=[Depends(_check_names)])


async def think(request: Request, work: Callable[[Job], T], *needs: str, pool: str = MOVES) -> T:
    """Do work on the workbench once what it `needs` is compiled; off when the asker leaves."""
    laboratory: Laboratory = request.app.state.laboratory
    answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def run(job: Job) -> None:
        try:
            for task in needs:
                job.await_kernels(task, lambda words: None)
            job.report(answer.set_result, work(job))
        except Exception as error:  # whoever waits must hear of it
            job.report(answer.set_exception, error)

    job = laboratory.bench.start(run, pool)
    try:
        while not (await asyncio.wait([answer], timeout=LOOK_SECONDS))[0]:
            if await request.is_disconnected():
                raise HTTPException(499, "the asker has left")  # for the log: nobody hears it
        return answer.result()
    finally:
        job.cancel()


@router.get("/analyse", response_model_exclude_unset=True, responses=REFUSALS)
async def analyse(
    request: Request,
    game: GameSpec = "connect4",
    moves: Moves = "",
    seconds: Seconds = MOVE_SECONDS,
) -> Scores:
    """Return the exact score of every move of a position."""
    position = moves_of(read_game(game), moves)
    needs = task_named("solver", position.rules)
    found = await think(request, lambda job: _analysis(position, seconds, job), needs)
    return Scores(**found)


@router.get("/decide", responses=REFUSALS)
async def decide(
    request: Request,
    agent: AgentSpec = "mcts:sims=200",
    game: GameSpec = "connect4",
    moves: Moves = "",
    seed: Seed = 0,
) -> Choice:
    """Return what an agent would play in a position."""
    position = moves_of(read_game(game), moves)
    if position.is_over:
        raise FourlabError(f"the game is over ({position.outcome.words}); nothing to decide")
    player = read_agent(agent, position.rules)

    def decide_and_time(job: Job) -> tuple[Decision, float]:
        player.prepare()
        began = time.perf_counter()
        decision = player.decide(position, np.random.default_rng(seed), job.limit)
        return decision, time.perf_counter() - began

    pool = pool_of(MOVES, player)
    found, seconds = await think(request, decide_and_time, task_of(player), pool=pool)
    return Choice(
        game=str(position.rules),
        moves=position.notation,
        agent=_named(agent, player),
        seed=seed,
        move=found.move + 1,
        values=None if found.values is None else list(found.values),
        raw=None if found.raw is None else list(found.raw),
        policy=None if found.policy is None else list(found.policy),
        visits=None if found.visits is None else list(found.visits),
        line=[move + 1 for move in found.line],
        effort=found.effort,
        seconds=round(seconds, 6),
    )


@router.post("/games", responses=REFUSALS)
async def play(request: Request, wanted: NewGame) -> Record:
    """Let two agents play a game, and return its record."""
    start = moves_of(read_game(wanted.game), wanted.moves)
    first, second = (read_agent(s, start.rules) for s in (wanted.first, wanted.second))
    match = GameInPlay(start.rules, first, second, wanted.seed, start)
    needs, pool = (task_of(first), task_of(second)), pool_of(MOVES, first, second)
    await think(request, lambda job: _play_out(match, job), *needs, pool=pool)
    names = {"first": _named(wanted.first, first), "second": _named(wanted.second, second)}
    return Record(**{**match.record().to_json(), **names})


@router.get("/games")
async def games() -> list[Offer]:
    """Return games to play; every board of up to 63 bits has a spec of its own."""
    return [Offer(spec=spec, title=title_of(find_game(spec))) for spec in OFFERED_GAMES]


@router.get("/agents")
async def agents() -> list[Offer]:
    """Return the agents and their options."""
    return [
        Offer(
            spec=name,
            title=summary(kind),
            options={
                option.name: f"{show_value(option.default)}; {option.allowed}; {option.help}"
                for option in options_of(kind.Config)
            },
        )
        for name, kind in ((name, AGENTS[name]) for name in public_agents())
    ]


def add_api(app: FastAPI, laboratory: Laboratory) -> None:
    """Give an application the API, and the page that describes it."""
    app.state.laboratory = laboratory
    app.include_router(router)

    @app.exception_handler(RequestValidationError)
    async def misread(_: Request, error: RequestValidationError) -> JSONResponse:
        """Say what is wrong where; what was sent may be nothing that can be sent back."""
        told = [{name: one[name] for name in ("type", "loc", "msg")} for one in error.errors()]
        return JSONResponse({"detail": told}, 422)

    @app.exception_handler(FourlabError)
    async def refuse(request: Request, error: Exception) -> JSONResponse:
        status = 503 if isinstance(error, BusyError) else 400
        return JSONResponse({"detail": without_places(str(error))}, status)

    @app.get("/api", include_in_schema=False)
    async def page() -> HTMLResponse:
        return HTMLResponse(api_page(app.openapi()))

    _refuse_other_methods(app)


def _refuse_other_methods(app: FastAPI) -> None:
    """Answer 405 where an address is asked in a way that it does not know: pages would say 404."""
    known: dict[str, set[str]] = {}
    for route in (*app.routes, *router.routes):
        if isinstance(route, Route):
            known.setdefault(route.path, set()).update(route.methods or ())

    async def refuse(request: Request) -> JSONResponse:
        allowed = ", ".join(sorted(known[request.scope["path"]]))
        detail = f"{request.method} does nothing here; allowed: {allowed}"
        return JSONResponse({"detail": detail}, 405, {"Allow": allowed})

    for path, methods in known.items():
        methods |= {"HEAD"} if "GET" in methods else set()
        app.add_route(path, refuse, sorted(METHODS - methods), include_in_schema=False)


def _named(text: str, player: Agent) -> str:
    """Return a player's spec; of a kept run its name, and not where its file lies."""
    return text if text.startswith(KEPT) else player.spec


def _analysis(position: Position, seconds: float, job: Job) -> dict[str, Any]:
    limits = Limit(seconds=seconds, stop=job.cancelled)
    [*_, found] = analyse_position(position, solver_of(position.rules), limits)
    return found.to_json()


def _play_out(match: GameInPlay, job: Job) -> None:
    deadline = time.perf_counter() + GAME_SECONDS
    while not match.position.is_over and not job.cancelled():
        if time.perf_counter() > deadline:
            return
        match.step(job.limit)
