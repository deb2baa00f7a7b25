"""The web laboratory: how soon a page answers, and how many visitors it carries.

    python -m benchmarks.web [--moves 40] [--watchers 100] [--players 20] [--seconds 60]
    python -m benchmarks.web --moves 0 --watchers 0 --beside 40

Needs Chromium and the `dev` extra. Visitors without a browser speak the pages' own protocol.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import httpx
from playwright.sync_api import Page, sync_playwright
from websockets.asyncio.client import connect

from web.conftest import FLAGS
from web.server import Server

SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
SAMPLE_SECONDS = 30
# Resolves with the milliseconds from a click until so many discs are on the screen.
PAINTED = """([move, discs]) => new Promise(done => {
  const began = performance.now();
  const look = () => document.querySelectorAll(".plate .disc").length >= discs
    ? requestAnimationFrame(() => done(performance.now() - began)) : requestAnimationFrame(look);
  document.querySelector(`.move[data-move="${move}"]`).click();
  look();
})"""


def spread(name: str, times: list[float], unit: str = "ms") -> str:
    cuts = statistics.quantiles(times, n=20)
    middle, most = statistics.median(times), cuts[18]
    return f"{name}: median {middle:.0f} {unit}, p95 {most:.0f} {unit}, n {len(times)}"


def browser_figures(server: Server, moves: int) -> None:
    """Own disc, reply, and time until a page can be used, in a real browser."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        loads = []
        for _ in range(8):
            began = time.perf_counter()
            page.goto(f"{server.url}/play?opponent=mcts:sims=1000")
            page.wait_for_function("() => window.did_handshake && document.querySelector('.move')")
            loads.append((time.perf_counter() - began) * 1e3)
        own, reply = [], []
        while len(reply) < moves:
            page.goto(f"{server.url}/play?opponent=mcts:sims=1000")
            page.wait_for_selector("h1:text-is('Your move')")
            page.wait_for_function("() => window.did_handshake")
            own_times, reply_times = play_a_few(page)
            own += own_times
            reply += reply_times
        browser.close()
    print(spread("page can be used, warm", loads[1:]))
    print(spread("own disc painted", own))
    print(spread("reply of mcts:sims=1000 painted", reply))


def play_a_few(page: Page) -> tuple[list[float], list[float]]:
    own, reply = [], []
    for number, move in enumerate((3, 2, 4)):
        began = time.perf_counter()
        own.append(page.evaluate(PAINTED, [move, 2 * number + 1]))
        page.wait_for_function(
            f"() => document.querySelectorAll('.plate .disc').length >= {2 * number + 2}"
            " || document.querySelector('.win-line')",
            polling="raf",
        )
        reply.append((time.perf_counter() - began) * 1e3)
        if page.locator(".win-line").count():
            break
        page.wait_for_selector("h1:text-is('Your move')")
    return own, reply


class Visitor:
    """A page that is open without a browser."""

    def __init__(self, server: Server, path: str) -> None:
        self.server, self.path = server, path
        self.updates: list[float] = []
        self.numbers: list[int] = []
        self.stones: list[tuple[float, int]] = []  # when so many were on the board

    async def open(self, client: httpx.AsyncClient) -> None:
        page = (await client.get(self.server.url + self.path)).text
        self.client_id = re.search(r"'client_id': '([^']+)'", page)[1]  # type: ignore[index]
        raw = re.search(r"String\.raw`(.*?)`", page, re.S)[1]  # type: ignore[index]
        for number, element in json.loads(html.unescape(raw)).items():
            for event in element.get("events", []):
                if event["type"] == "act":
                    self.element, self.listener = int(number), event["listener_id"]
        query = f"&client_id={self.client_id}&document_id=d&tab_id={self.client_id}&old_tab_id="
        query += "&next_message_id=0&implicit_handshake=true"
        self.socket = await connect(
            self.server.url.replace("http", "ws") + SOCKET + query, origin=self.server.url
        )
        await self.socket.recv()
        await self.socket.send("40")
        self.task = asyncio.create_task(self.listen())

    async def listen(self) -> None:
        async for message in self.socket:
            if message == "2":
                await self.socket.send("3")
            elif isinstance(message, str) and "receive" in message:
                self.updates.append(time.perf_counter())
                if shown := re.search(r'\bat\\*": ?(\d+)', message):
                    self.stones.append((time.perf_counter(), int(shown[1])))
                found = re.search(r'"receive\\", \[(\d+)|receive\\", ?\[(\d+)|\[(\d+),', message)
                if found:
                    self.numbers.append(int(next(one for one in found.groups() if one)))

    async def act(self, name: str, *args: object) -> None:
        payload = {
            "id": self.element,
            "client_id": self.client_id,
            "listener_id": self.listener,
            "args": [json.dumps({"name": name, "args": list(args)})],
        }
        await self.socket.send("42" + json.dumps(["event", payload]))


def memory(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


async def crowd_figures(server: Server, watchers: int, players: int, seconds: float) -> None:
    """Many pages at once: some watch a learner at 5 moves a second, some of them play."""
    assert server.process is not None
    limits = httpx.Limits(max_connections=10)
    async with httpx.AsyncClient(timeout=60, limits=limits) as client:
        watching = [
            Visitor(server, "/learn?game=tictactoe&opponent=random") for _ in range(watchers)
        ]
        playing = [Visitor(server, "/play?opponent=mcts:sims=1000") for _ in range(players)]
        for visitor in (*watching, *playing):
            await visitor.open(client)
    for visitor in watching:
        await visitor.act("speed", 5)
        await visitor.act("run")
    await asyncio.sleep(5)
    began, before = time.perf_counter(), memory(server.process.pid)
    replies: list[float] = []
    samples: list[float] = []
    until = began + seconds
    sampler = asyncio.create_task(sample_memory(server.process.pid, samples))
    await asyncio.gather(*(keep_playing(one, replies, until) for one in playing))
    sampler.cancel()
    spent = time.perf_counter() - began
    count = sum(sum(at > began for at in one.updates) for one in watching)
    gaps = sum(
        later - sooner != 1
        for one in watching
        for sooner, later in zip(one.numbers, one.numbers[1:], strict=False)
    )
    print(f"{watchers} watch, {players} play, {spent:.0f} s")
    rate = count / spent / watchers
    print(f"updates to watchers: {rate:.1f} a second each, gaps in numbers: {gaps}")
    print(spread("reply while all that goes on", replies))
    shown = " ".join(f"{one:.0f}" for one in [before, *samples])
    print(f"memory every {SAMPLE_SECONDS} s: {shown} MB")
    for visitor in (*watching, *playing):
        visitor.task.cancel()


async def beside_figures(server: Server, moves: int) -> None:
    """How soon a move is confirmed and answered, alone, and beside two learners and an arena."""
    async with httpx.AsyncClient(timeout=60) as client:
        player = Visitor(server, "/play?opponent=mcts:sims=1000")
        await player.open(client)
        await asyncio.sleep(20)  # what is compiled at the start is compiled
        for name in ("alone", "beside two learners and an arena"):
            if name != "alone":
                others = [Visitor(server, path) for path in BESIDE]
                for one in others:
                    await one.open(client)
                    await one.act("speed", 1e6)
                    await one.act("run")
                await asyncio.sleep(45)  # until all of them are compiled, and at work
            confirmed, answered = [], []
            while len(answered) < moves:
                times = await one_move(player)
                if times is not None:
                    confirmed.append(times[0])
                    answered.append(times[1])
            print(spread(f"move confirmed, {name}", confirmed))
            print(spread(f"answer of mcts:sims=1000, {name}", answered))


BESIDE = (
    "/learn?game=connect:columns=5,rows=4,k=4&opponent=baseline",
    "/learn?game=connect:columns=6,rows=5,k=4&opponent=baseline",
    "/arena?agents=mcts:sims=2000;mcts:sims=1000;minimax:depth=6&games=400",
)


async def one_move(player: Visitor) -> tuple[float, float] | None:
    """Begin a game, drop a stone; return milliseconds until it is shown, and until the answer."""
    await player.act("new")
    await asyncio.sleep(0.5)
    player.stones.clear()
    began = time.perf_counter()
    await player.act("play", 0, 3)
    while not player.stones or player.stones[-1][1] < 2:
        await asyncio.sleep(0.001)
        if time.perf_counter() - began > 30:
            return None
    first, last = player.stones[0][0], player.stones[-1][0]
    return (first - began) * 1e3, (last - began) * 1e3


async def sample_memory(pid: int, samples: list[float]) -> None:
    while True:
        await asyncio.sleep(SAMPLE_SECONDS)
        samples.append(memory(pid))


async def keep_playing(visitor: Visitor, replies: list[float], until: float) -> None:
    while time.perf_counter() < until:
        await visitor.act("new")
        await asyncio.sleep(0.5)
        seen = len(visitor.updates)
        began = time.perf_counter()
        await visitor.act("play", 0, 3)
        while len(visitor.updates) < seen + 2 and time.perf_counter() < until + 5:
            await asyncio.sleep(0.002)
        replies.append((time.perf_counter() - began) * 1e3)
        await asyncio.sleep(1)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--moves", type=int, default=40)
    options.add_argument("--watchers", type=int, default=100)
    options.add_argument("--players", type=int, default=20)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--beside", type=int, default=0)
    wanted = options.parse_args()
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        server.start()
        try:
            if wanted.moves:
                browser_figures(server, wanted.moves)
            if wanted.beside:
                asyncio.run(beside_figures(server, wanted.beside))
            if wanted.watchers:
                asyncio.run(crowd_figures(server, wanted.watchers, wanted.players, wanted.seconds))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
