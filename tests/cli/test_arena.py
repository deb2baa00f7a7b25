"""`fourlab arena`, `games`, `ladder` and `sweep` from the outside."""

import csv
import io
import itertools
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pexpect
import pytest
from rich.console import Console

from command import run as run_command
from fourlab.arena.events import Event
from fourlab.arena.games import Games
from fourlab.arena.pairing import Pairing
from fourlab.arena.records import Records
from fourlab.arena.tournament import Tournament
from fourlab.cli.arena import Pace
from fourlab.cli.games import keep
from fourlab.cli.standings import heading, standings
from fourlab.core.storage import StorageError
from fourlab.core.workers import Workers
from fourlab.rules.record import GameRecord

FOURLAB = [sys.executable, "-m", "fourlab.cli.main"]
SMALL = "connect:columns=5,rows=4,k=4"
PATIENCE = 300  # an upper bound for compiling on a busy machine, not a measurement


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_command(*arguments, folder=folder)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a tournament of 40 games a pair."""
    folder = tmp_path_factory.mktemp("arena")
    agents = ["random", "baseline", "perfect:blunder=0.5"]
    done = run(folder, "arena", *agents, "--game", SMALL, "--games", "40", "--seed", "3")
    assert done.returncode == 0, done.stderr
    (folder / "said.txt").write_text(done.stdout)
    return folder


def test_the_table_of_a_tournament(played: Path) -> None:
    said = (played / "said.txt").read_text()
    assert f"{SMALL}, 120 games, seed 3" in said
    ratings = [int(elo) for elo in re.findall(r"^\d  \S+ +(\d+)  ± \d+ ", said, re.MULTILINE)]
    assert len(ratings) == 3
    assert sum(ratings) / 3 == pytest.approx(1500, abs=1)
    assert "Elo 1500 is the field mean" in said
    assert "random – baseline" in said
    assert "distinct" in said
    assert "\x1b" not in said


def test_openings_are_as_long_as_the_record_says_or_refused(tmp_path: Path) -> None:
    pair = ["arena", "random", "baseline", "--games", "10", "--seed", "3"]
    done = run(tmp_path, *pair, "--plies", "35", "--game", "connect:k=2")
    assert done.returncode == 2
    assert "no openings of 35 plies were found on connect:columns=7,rows=6,k=2" in done.stderr
    assert not (tmp_path / "games.db").exists()
    done = run(tmp_path, *pair, "--plies", "39")
    assert "no balanced opening of 39 plies was found: any will do" in done.stdout
    entries = [json.loads(line) for line in run(tmp_path, "games", "--json").stdout.splitlines()]
    assert len(entries) == 10
    assert all(len(entry["moves"]) > entry["plies"] == 39 for entry in entries)


def test_games_by_lot_are_not_called_too_few(tmp_path: Path) -> None:
    on = ["--game", "tictactoe", "--no-record", "--seed", "1", "--plies"]
    by_lot = run(tmp_path, "arena", "random", "baseline", "--games", "10000", *on, "0")
    fixed = ["minimax:depth=2,ties=first", "minimax:depth=3,ties=first"]
    repeated = run(tmp_path, "arena", *fixed, "--games", "100", *on, "2")
    assert "too narrow" not in by_lot.stdout
    assert re.search(r"\d\d distinct games; its intervals are too narrow", repeated.stdout)


def test_the_json_of_a_tournament(played: Path) -> None:
    arguments = ["random", "baseline", "--game", SMALL, "--games", "30", "--seed", "9"]
    done = run(played, "arena", *arguments, "--json", "--no-record")
    answer = json.loads(done.stdout)
    assert {"game", "games", "seed", "pairs", "ratings"} <= set(answer)
    assert (answer["game"], answer["games"], answer["seed"]) == (SMALL, 30, 9)
    [pair] = answer["pairs"]
    assert {"a", "b", "wins", "draws", "losses", "score", "low", "high"} <= set(pair)
    assert (pair["a"], pair["b"]) == ("random", "baseline")
    assert pair["wins"] + pair["draws"] + pair["losses"] == 30
    assert all(set(entry) == {"agent", "elo", "low", "high"} for entry in answer["ratings"])
    assert sum(entry["elo"] for entry in answer["ratings"]) / 2 == pytest.approx(1500, abs=0.1)
    assert all(one["low"] < one["elo"] < one["high"] for one in answer["ratings"])
    assert answer["first_move_interval"][0] < answer["first_move_elo"]
    again = json.loads(run(played, "arena", *arguments, "--json", "--no-record").stdout)
    again["pairs"][0] |= {name: pair[name] for name in ("a_ms_per_move", "b_ms_per_move")}
    assert again == answer


def test_a_sequential_test_says_what_it_found(played: Path) -> None:
    arguments = ["baseline", "random", "--game", SMALL, "--games", "2000", "--sprt", "0,50"]
    done = run(played, "arena", *arguments, "--no-record", "--seed", "1")
    assert "above +0" in done.stdout
    assert "test: by how many Elo points the first of a pairing is the stronger one" in done.stdout
    assert "test: by how many" not in (played / "said.txt").read_text()


def test_the_ladder_is_over_all_games(played: Path) -> None:
    answer = json.loads(run(played, "ladder", "--json").stdout)
    assert [entry["game"] for entry in answer] == [SMALL]
    assert answer[0]["games"] == 120
    assert answer[0]["anchor"] is None
    low, high = answer[0]["first_move_interval"]
    assert low < answer[0]["first_move_elo"] < high < low + 400
    assert sum(one["elo"] for one in answer[0]["ratings"]) / 3 == pytest.approx(1500, abs=0.1)
    assert {entry["agent"] for entry in answer[0]["ratings"]} == {
        "random",
        "baseline",
        "perfect:blunder=0.5",
    }
    shown = run(played, "ladder", "--anchor", "baseline").stdout
    assert re.match(rf"{SMALL}, 120 games, first move worth [+-]\d+ ± \d+ Elo\n", shown)
    assert re.search(r"baseline +1500 +anchor +80 ", shown)


def test_games_that_were_broken_off_rate_nobody(tmp_path: Path) -> None:
    with Records(tmp_path / "games.db") as records:
        records.keep(GameRecord("tictactoe", "human", "random", 0, "15", "in progress"))
    for options in ([], ["--json"], ["--anchor", "nope"]):
        done = run(tmp_path, "ladder", *options)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "fourlab: no finished games in games.db\n"


def test_the_ladder_rates_every_game_apart(tmp_path: Path) -> None:
    for name in (SMALL, "tictactoe"):
        agents = ["random", "baseline", "--game", name, "--games", "20", "--seed", "1"]
        assert run(tmp_path, "arena", *agents).returncode == 0
    both = json.loads(run(tmp_path, "ladder", "--json").stdout)
    assert [(entry["game"], entry["games"]) for entry in both] == [(SMALL, 20), ("tictactoe", 20)]
    [one] = json.loads(run(tmp_path, "ladder", "--game", "tictactoe", "--json").stdout)
    assert one == both[1] != both[0]


def test_games_are_listed_and_filtered(played: Path) -> None:
    shown = run(played, "games").stdout
    assert "20 shown, 120 recorded" in shown
    narrow = run_command("games", folder=played, COLUMNS="60").stdout  # a pipe has no width
    assert narrow == shown
    assert len(shown.splitlines()) == 1 + 20 + 1
    lines = run(played, "games", "--json", "--limit", "500").stdout.splitlines()
    assert len(lines) == 120
    chosen = run(played, "games", "--json", "--limit", "500", "--agent", "baseline").stdout
    assert len(chosen.splitlines()) == 80
    assert all("baseline" in line for line in chosen.splitlines())
    outcomes = [json.loads(line)["outcome"] for line in lines]
    for result in ("first", "second", "draw"):
        found = run(played, "games", "--json", "--limit", "500", "--result", result).stdout
        kept = [json.loads(line)["outcome"] for line in found.splitlines()]
        assert kept == [outcome for outcome in outcomes if outcome == result]


def test_who_was_several_is_found_by_one_name_and_by_each(tmp_path: Path) -> None:
    """The agent of a folder that was trained again is listed with a digest: `q:mine@3f2a1c`."""
    lost = "142596"
    game = Games(*np.array([[0], [-1], [6]]), np.zeros((1, 9), np.int8), np.zeros((1, 2)))
    with Records(tmp_path / "games.db") as records:
        for digest in ("1" * 16, "2" * 16):
            pairing = Pairing("tictactoe", "q:mine", "random", 1, 0, checksums=(digest, ""))
            records.add(records.pairing(pairing), game, [lost])
    found = {
        name: run(tmp_path, "games", "--json", "--agent", name).stdout.count("\n")
        for name in ("q:mine", "q:mine@111111", "q:mine@222222", "q:min", "random")
    }
    assert found == {"q:mine": 2, "q:mine@111111": 1, "q:mine@222222": 1, "q:min": 0, "random": 2}
    for name, game in (("q:mine", "1.0"), ("q:mine@222222", "2.0")):
        worst = run(tmp_path, "games", "--worst", "--agent", name).stdout
        assert worst.startswith(f"game {game}: q:mine@"), worst


def test_a_file_is_found_by_its_name_whatever_signs_it_has(tmp_path: Path) -> None:
    with Records(tmp_path / "games.db") as records:
        for name in ("my[1].py@3f2a1c9d", "my1.py@3f2a1c9d"):
            records.keep(GameRecord("tictactoe", name, "random", 1, "1 4 2 5 3", "first"))
    shown = run(tmp_path, "games", "--json", "--agent", "bots/my[1].py").stdout
    assert [json.loads(line)["first"] for line in shown.splitlines()] == ["my[1].py@3f2a1c9d"]


def test_a_game_is_replayed(played: Path) -> None:
    entry = json.loads(run(played, "games", "1.4", "--json").stdout)
    shown = run(played, "games", "1.4", "--watch", "--delay", "0").stdout
    assert shown.startswith(f"game 1.4: {entry['first']} against {entry['second']}")
    assert f"moves: {entry['moves']}" in shown
    assert shown.count("+-1--2--3--4--5-+") == len(entry["moves"])
    assert run(played, "games", "1.4").stdout.count("+-1--2--3--4--5-+") == 1


def test_games_are_exported(played: Path) -> None:
    assert run(played, "games", "--export", "all.jsonl").stdout == "all.jsonl: 120 games\n"
    entries = [json.loads(line) for line in (played / "all.jsonl").read_text().splitlines()]
    assert len({entry["id"] for entry in entries}) == 120
    run(played, "games", "--export", "all.pgn", "--agent", "baseline")
    text = (played / "all.pgn").read_text()
    assert text.count('[Event "fourlab arena') == 80
    assert f'[Variant "{SMALL}"]' in text
    results = {"first": "1-0", "draw": "1/2-1/2", "second": "0-1"}
    chosen = [entry for entry in entries if "baseline" in (entry["first"], entry["second"])]
    tags = re.findall(r'\[White "(.*)"\]\n\[Black "(.*)"\]\n\[Result "(.*)"\]', text)
    assert tags == [(e["first"], e["second"], results[e["outcome"]]) for e in chosen]
    entry = chosen[0]
    moves = entry["moves"].split()
    line = " ".join(f"{i // 2 + 1}. {' '.join(moves[i : i + 2])}" for i in range(0, len(moves), 2))
    assert f"{line} {results[entry['outcome']]}\n" in text.replace("\n", " ").replace("  ", "\n")


@pytest.mark.parametrize(
    ("file", "foreign"),
    [
        ("mine.csv", "id,game,first\n1,chess,me\n"),
        ("mine.jsonl", '{"format": 2, "id": "", "game": "connect4", "moves": "44"}\n'),
        ("mine.jsonl", "44\n"),
        ("mine.pgn", '[Event "Casual"]\n\n1. e4 e5 *\n'),
        ("mine.pgn", "\xff\xfe"),
    ],
)
def test_games_are_exported_over_nothing_but_exported_games(
    played: Path, tmp_path: Path, file: str, foreign: str
) -> None:
    there = tmp_path / file
    there.write_bytes(foreign.encode("latin-1"))
    done = run(played, "games", "--export", str(there))
    assert done.returncode == 2
    assert f"{there} is there, and no export of games" in done.stderr
    assert there.read_bytes() == foreign.encode("latin-1")
    there.write_bytes(b"")
    for limit in ("2", "1", "2"):
        done = run(played, "games", "--export", str(there), "--limit", limit)
        assert done.stdout == f"{there}: {limit} games\n"


@pytest.mark.parametrize("file", ["back.pgn", "back.jsonl"])
def test_games_are_imported_once(played: Path, file: str) -> None:
    run(played, "games", "--export", file, "--limit", "8")
    into = ["games", "--record", f"{file}.db"]
    assert run(played, *into, "--import", file).stdout == f"{file}.db: 8 games more\n"
    again = run(played, *into, "--import", file).stdout
    assert again == f"{file}.db: 0 games more, 8 were there\n"
    told = ("first", "second", "seed", "moves", "outcome", "seconds", "plies")
    lines = [run(played, *which, "--json", "--limit", "8") for which in (into, ["games"])]
    kept, there = (
        sorted([json.loads(line)[name] for name in told] for line in done.stdout.splitlines())
        for done in lines
    )
    assert kept == there
    refused = run(played, "games", "--import", "x.csv")
    assert (refused.returncode, "ends in .jsonl or .pgn" in refused.stderr) == (2, True)


def test_two_imports_at_once_keep_each_game_once(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second one that comes while the first keeps its games has to wait."""
    run(played, "games", "--export", "twice.jsonl", "--limit", "4")
    original, files = Records.keep, (played / "twice.jsonl", played / "twice.db")

    def keep_and_meet_another(records: Records, game: GameRecord) -> str:
        monkeypatch.setattr(Records, "keep", original)
        with pytest.raises(StorageError, match="is locked by another program"):
            keep(*files)
        return original(records, game)

    monkeypatch.setattr(Records, "keep", keep_and_meet_another)
    monkeypatch.setattr(Records.__init__, "__defaults__", (False, 0.0))  # do not wait
    assert keep(*files) == "4 games more"
    assert keep(*files) == "0 games more, 4 were there"


def test_games_are_printed_for_other_tools(played: Path) -> None:
    rows = list(csv.DictReader(run(played, "games", "--csv").stdout.splitlines()))
    lines = run(played, "games", "--jsonl", "--limit", "5").stdout.splitlines()
    assert (len(rows), len(lines)) == (120, 5)
    assert [row["moves"] for row in rows[:5]] == [json.loads(line)["moves"] for line in lines]
    assert run(played, "games", rows[3]["id"]).stdout.startswith(f"game {rows[3]['id'][1:]}: ")
    done = run(played, "games", "--csv", "--pgn")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--csv and --pgn cannot be done at once" in done.stderr


def test_a_sweep_is_played_once_and_drawn(played: Path) -> None:
    arguments = ["flat:playouts={2,20}", "--against", "random", "--game", SMALL, "--games", "40"]
    first = json.loads(run(played, "sweep", *arguments, "--record", "sweep.db", "--json").stdout)
    assert [point["options"] for point in first["points"]] == [
        {"playouts": "2"},
        {"playouts": "20"},
    ]
    assert first["points"][0]["score"] < first["points"][1]["score"]
    done = run(played, "sweep", *arguments, "--record", "sweep.db", "--plot", "sweep.svg")
    assert done.returncode == 0
    assert "all of these games were recorded before; more with --games 80" in done.stderr
    assert "playouts" in done.stdout
    for point in first["points"]:
        assert f" {point['wins']} " in done.stdout
    assert (played / "sweep.svg").read_text().startswith("<svg")
    with sqlite3.connect(played / "sweep.db") as database:
        assert database.execute("SELECT count(*) FROM games").fetchone() == (80,)
    database.close()


def test_plots_are_drawn(played: Path) -> None:
    done = run(played, "arena", "--resume", "--plot", "arena.png", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["games"] == 120
    assert (played / "arena.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["arena", "random"], "needs two agents"),
        (["arena", "random", "magic"], "unknown agent 'magic'"),
        (["arena", "random", "human"], "terminal only"),
        (["arena", "random", "baseline", "--sprt", "5"], "write two numbers of Elo points"),
        (["arena", "random", "baseline", "--alpha", "0.1"], "--alpha: of a test; name it with"),
        (["arena", "--resume", "--alpha", "0.1", "--beta", "0.1"], "--alpha and --beta: of a test"),
        (["arena", "random", "baseline", "--anchor", "perfect"], "anchor 'perfect' does not play"),
        (["arena", "--resume", "--record", "none.db"], "no games recorded in none.db"),
        (["arena", "random", "baseline", "--record", "said.txt"], "is no fourlab record"),
        (["ladder", "--record", "none.db"], "no games recorded in none.db"),
        (["ladder", "--game", "connect4"], "no finished games of connect4"),
        (["games", "7"], "'7' is no game's number"),
        (["games", "7.7"], "no game 7.7 in games.db"),
        (["games", "7.7", "--csv"], "no game 7.7 in games.db"),
        (["games", "1.1", "--agent", "zzz"], "game 1.1 in games.db is another (connect:columns=5,"),
        (["games", "1.1", "--game", "tictactoe", "--json"], "leave out --agent, --game and --res"),
        (["games", "1.4", "--delay", "0"], "without --watch nothing moves; leave out --delay"),
        (["games", "--worst", "--agent", "zzz"], "no game of 'zzz' is among these"),
        (["games", "--worst", "--agent", "random", "--limit", "2"], "leave out --limit"),
        (
            ["arena", "random", "baseline", "--record", "x.db", "--no-record"],
            "--no-record keeps no games; leave out --record",
        ),
        (
            ["sweep", "flat:playouts={1,2}", "--record", "x.db", "--no-record"],
            "--no-record keeps no games; leave out --record",
        ),
        (["games", "--export", "x.csv", "--watch"], "--export and --watch cannot be done at once"),
        (["games", "--worst", "--agent", "random", "--json"], "--json and --worst cannot be done"),
        (["games", "--import", "x.pgn", "--game", "tictactoe"], "leave out --game"),
        (["games", "1." + "9" * 30], "is no game's number"),
        (["games", "9" * 5000 + ".1"], "is no game's number"),
        (["games", "².1"], "is no game's number"),
        (["games", "--result", "won"], "no result 'won'"),
        (["games", "--export", "x.txt"], "ends in .csv or .jsonl or .pgn"),
        (["games", "--record", "."], "games in .: it is a folder; name a file"),
        (["sweep", "random"], "spans no grid"),
        (
            ["sweep", "flat:playouts={5,05}"],
            "'flat:playouts=5' and 'flat:playouts=05' are one agent; give it once",
        ),
        (["sweep", "flat:playouts={1,2}", "--runs", "x"], "nothing is trained; leave out --runs"),
        (["sweep", "flat:playouts={1,x}"], "playouts='x' is not allowed"),
        (["sweep", "flat:playouts={1,2}", "--plot", "x.doc"], "ends in .png or .svg"),
        (["sweep", "q:alpha={1,0.5}"], "say --train GAMES"),
        (["sweep", "q:alhpa={1,2}", "--train", "9"], "has no option 'alhpa'; options: games="),
        (["sweep", "q:alpha={1,0.5}", "--train", "9", "--against", "magic"], "agent 'magic'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    played: Path, arguments: list[str], says: str
) -> None:
    done = run(played, *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not (played / "none.db").exists()
    assert not (played / "runs").exists()


def without_times(said: str) -> list[str]:
    lines = [line for line in said.splitlines() if "ms" not in line]
    return [re.sub(r"[\d.]+ / [\d.]+$", "", line) for line in lines]


def test_the_same_command_again_shows_what_was_recorded(played: Path) -> None:
    again = ["arena", "random", "baseline", "perfect:blunder=0.5"]
    again += ["--game", SMALL, "--games", "40", "--seed", "3"]
    before = count(played / "games.db")
    done = run(played, *again)
    assert done.returncode == 0, done.stderr
    assert "all of these games were recorded before; more with --games 80, others" in done.stderr
    said = (played / "said.txt").read_text()
    assert without_times(done.stdout)[:8] == without_times(said)[:8]
    assert count(played / "games.db") == before


def test_more_games_than_were_recorded_are_the_rest_of_them(tmp_path: Path) -> None:
    command = ["arena", "random", "baseline", "--game", SMALL, "--seed", "3", "--json"]
    assert run(tmp_path, *command, "--games", "20").returncode == 0
    more = run(tmp_path, *command, "--games", "60")
    assert "20 of 60 of these games were recorded before" in more.stderr
    whole = run(tmp_path, *command, "--games", "60", "--no-record")
    [one], [other] = (json.loads(done.stdout)["pairs"] for done in (more, whole))
    assert [one[name] for name in ("wins", "draws", "losses")] == [
        other[name] for name in ("wins", "draws", "losses")
    ]


@pytest.mark.parametrize(
    "option",
    [
        ["--game", "tictactoe"],
        ["--seed", "77"],
        ["--plies", "2"],
        ["--gauntlet"],
        ["--move-time", "9"],
        ["--sprt", "0,10"],
    ],
)
def test_who_resumes_contradicts_nothing(played: Path, option: list[str]) -> None:
    done = run(played, "arena", "--resume", *option)
    assert done.returncode == 2
    assert f"{option[0]}: the last tournament in games.db was begun with another" in done.stderr


def test_what_is_said_again_or_looked_at_otherwise_is_no_contradiction(played: Path) -> None:
    same = ["--game", SMALL, "--seed", "3", "--anchor", "baseline"]
    done = run(played, "arena", "--resume", *same)
    assert done.returncode == 0, done.stderr
    assert "Elo 1500 is baseline" in done.stdout


def test_the_ladder_rates_apart_who_never_met(tmp_path: Path) -> None:
    for pair in (("random", "baseline"), ("flat:playouts=1", "flat:playouts=2")):
        assert run(tmp_path, "arena", *pair, "--game", SMALL, "--games", "2").returncode == 0
    answer = json.loads(run(tmp_path, "ladder", "--json").stdout)
    assert [entry["game"] for entry in answer] == [SMALL, SMALL]
    assert [len(entry["ratings"]) for entry in answer] == [2, 2]
    shown = run(tmp_path, "ladder").stdout
    assert shown.count("these have met none of the other agents of this game") == 2


@pytest.mark.parametrize("file", ["photo.png", "photo.svg"])
def test_figures_are_drawn_over_nothing_but_figures(tmp_path: Path, file: str) -> None:
    there = tmp_path / file
    there.write_bytes(b"\x89PNG or <svg>, by someone")
    arena = ["arena", "random", "baseline", "--game", "tictactoe", "--games", "2", "--plot", file]
    sweep = ["sweep", "perfect:blunder={0,1}", *arena[3:]]
    for words in (arena, sweep):
        done = run(tmp_path, *words)
        assert done.returncode == 2
        assert f"{file} is there, and no figure of fourlab" in done.stderr
        assert there.read_bytes() == b"\x89PNG or <svg>, by someone"
    assert [path.name for path in tmp_path.iterdir()] == [file]
    there.unlink()
    for words in (arena, arena, sweep):
        assert run(tmp_path, *words).returncode == 0
    assert there.stat().st_size > 1000


def test_a_plot_that_could_not_be_written_is_said_before_anything_is_played(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("in the way")
    for words in (["arena", "random", "baseline"], ["sweep", "flat:playouts={1,2}"]):
        done = run(tmp_path, *words, "--game", SMALL, "--games", "2", "--plot", "file/x.png")
        assert done.returncode == 2
        assert "cannot write file/x.png" in done.stderr
        assert not (tmp_path / "games.db").exists()


def test_an_odd_number_of_games_is_made_even_and_said(tmp_path: Path) -> None:
    pair = ["random", "baseline", "--game", SMALL, "--no-record", "--json"]
    done = run(tmp_path, "arena", *pair, "--games", "3")
    assert json.loads(done.stdout)["games"] == 4
    assert "4 games a pair, not 3: each opening from both sides" in done.stderr
    assert run(tmp_path, "arena", *pair, "--games", "4").stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["arena", "random"],
        ["arena", "random", "magic"],
        ["arena", "random", "engine:true,args=two\nlines"],  # no name of a record
        ["arena", "random", "baseline", "--plies", "99"],
        ["arena", "random", "baseline", "--cluster", "nowhere"],
        ["sweep", "flat:playouts={1,x}"],
        ["sweep", "flat:playouts={1,2}", "--against", "magic"],
    ],
)
def test_what_is_refused_leaves_no_record_behind(
    tmp_path: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourlab.core.workers.CONNECT_SECONDS", 0.1)  # nobody answers
    assert run(tmp_path, *arguments).returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_eighty_columns_are_enough() -> None:
    """Nothing is cut, figures are not wrapped, and pairings are told by numbers of the ranking."""
    agents = ("perfect:blunder=0.25,ties=first", "flat:playouts=2", "random", "baseline")
    event = Event(SMALL, agents, 20, 1)
    tournament = Tournament(event)
    with Workers(1) as pool:
        list(tournament.run(pool))
    shown = io.StringIO()
    Console(width=80, file=shown).print(standings(tournament, 80))
    lines = shown.getvalue().splitlines()
    assert not any("…" in line for line in lines)
    rows = [line.split() for line in lines if re.match(r"\d – \d ", line)]
    assert len(rows) == 6
    assert {len(row) for row in rows} == {3 + 4 + 3 + 2}  # 1 – 2, four figures, 1% to 2%, two more
    ranking = tournament.ratings().ranking()
    met = {frozenset((ranking[int(row[0]) - 1], ranking[int(row[2]) - 1])) for row in rows}
    assert met == {frozenset(pair) for pair in itertools.combinations(event.agents, 2)}


def test_the_bar_and_the_time_left_fit_into_eighty_columns() -> None:
    shown = io.StringIO()
    event = Event(SMALL, ("flat:playouts=2", "random"), 20, 1)
    screen = Console(width=80, file=shown, legacy_windows=False)
    played = SimpleNamespace(event=event, played=19, total=19, is_over=False)
    screen.print(heading(played, "about 3 min left"))  # type: ignore[arg-type]
    [bar] = [line for line in shown.getvalue().splitlines() if "about 3 min left" in line]
    assert bar.startswith("━" * 30 + " ")


def test_the_time_that_is_left_is_told_once_a_game_was_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter((100.0, 160.0))
    monkeypatch.setattr("fourlab.cli.arena.time.monotonic", lambda: next(clock))
    tournament = SimpleNamespace(played=10, total=50)
    pace = Pace(tournament)  # type: ignore[arg-type]
    assert pace.left == ""
    tournament.played = 20
    assert pace.left == "about 3 min left"  # ten games took a minute, thirty are left


def count(path: Path) -> int:
    """Return how many games are recorded, 0 while there is no table."""
    try:
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    except sqlite3.OperationalError:
        return 0
    try:
        return int(database.execute("SELECT count(*) FROM games").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        database.close()


def test_a_killed_tournament_is_resumed_as_if_never_stopped(tmp_path: Path) -> None:
    """Kill -9 at random moments, again and again, while agents in processes are playing."""
    agents = ["random", "mcts:sims=100", "perfect:blunder=0.4"]
    start = ["arena", *agents, "--game", SMALL, "--games", "120", "--seed", "5"]
    dice = random.Random(6)
    path = tmp_path / "killed.db"
    command = [*start, "--record", str(path)]
    for _ in range(3):
        goal = count(path) + dice.randint(1, 60)
        driver = subprocess.Popen([*FOURLAB, *command], stdout=subprocess.DEVNULL)
        while count(path) < goal and driver.poll() is None:
            time.sleep(0.02)
        os.kill(driver.pid, signal.SIGKILL)
        driver.wait()
        command = ["arena", "--resume", "--record", str(path)]
    assert 0 < count(path) < 360
    assert run(tmp_path, *command).returncode == 0
    assert run(tmp_path, *start, "--record", "whole.db").returncode == 0
    games = []
    for name in ("killed.db", "whole.db"):
        with sqlite3.connect(tmp_path / name) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            query = "SELECT pairing, number, result, moves FROM games ORDER BY 1, 2"
            games.append(database.execute(query).fetchall())
        database.close()
    assert len(games[0]) == 360
    assert games[0] == games[1]


def test_a_person_sees_it_live_and_may_stop_it(tmp_path: Path) -> None:
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "140", "LINES": "40"}
    environment.pop("NO_COLOR", None)
    agents = ["mcts:sims=400", "mcts:sims=300", "--game", SMALL, "--games", "100000"]
    child = pexpect.spawn(
        FOURLAB[0],
        [*FOURLAB[1:], "arena", *agents],
        cwd=str(tmp_path),
        env=environment,
        encoding="utf-8",
        timeout=PATIENCE,
        dimensions=(40, 140),
    )
    child.expect("of 100,000")
    child.expect(r"about [\w ]+ left")
    child.expect(r"mcts:sims=400 – mcts:sims=300 +[1-9]")
    child.sendintr()
    child.expect(r"stopped at [\d,]+ of 100,000 games; --resume goes on")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert count(tmp_path / "games.db") > 0
