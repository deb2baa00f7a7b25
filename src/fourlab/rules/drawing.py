"""Boards and games as notebooks draw them: SVG and HTML without scripts.

Discs carry the mark that tells the sides apart without colour, a ring or a dot. A board stands by
itself on any ground: its numbers are on its plate.
"""

from __future__ import annotations

from html import escape

from fourlab.core.notebook import THEMES, both, frame, heading, light
from fourlab.rules import kernels
from fourlab.rules.geometry import Rules
from fourlab.rules.position import SIDE_NAMES, Position
from fourlab.rules.record import GameRecord

PITCH = 40  # pixels of a cell
PAD = 9
STRIP = 15  # pixels below the holes for the numbers of the columns
RADIUS = 0.405 * PITCH
NAMES = ("yellow", "red")
STYLE = f".fl-hole {{ fill: {both('hole')} }} .fl-cell {{ fill: {both('text-3')} }}"


def board_svg(position: Position) -> str:
    """Return a position as a picture: coordinates, stones, the last move, the winning line."""
    stones = _placed(position)
    discs = [_disc(*stone, is_last=number == len(stones)) for number, stone in enumerate(stones, 1)]
    return _svg(position, "".join(discs) + _lines(position), f"<style>{THEMES}{STYLE}</style>")


def described(position: Position) -> str:
    """Return a position in words: what it is, and who is to move or how it ended."""
    outcome = position.outcome
    state = outcome.words if position.is_over else f"{SIDE_NAMES[position.to_move]} to move"
    return f"{position.rules} '{position.notation}', {state}"


def _svg(position: Position, stones: str, style: str = "") -> str:
    """Return a board, which has a style where no frame gives it one."""
    rules = position.rules
    kind = 'class="fourlab" ' if style else ""
    width = rules.columns * PITCH + 2 * PAD
    height = rules.rows * PITCH + 2 * PAD + (STRIP if rules.gravity else 0)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {kind}width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(described(position))}" '
        f'font-family="system-ui, Arial, sans-serif" text-anchor="middle">{style}'
        f'<rect width="{width}" height="{height}" rx="12" fill="{light("board")}"/>'
        f"{''.join(_holes(rules))}{stones}</svg>"
    )


def _centre(rules: Rules, cell: int) -> tuple[float, float]:
    """Return where the middle of a cell, one bit, lies."""
    column, row = divmod(cell.bit_length() - 1, rules.rows + 1)
    return PAD + (column + 0.5) * PITCH, PAD + (rules.rows - row - 0.5) * PITCH


def _holes(rules: Rules) -> list[str]:
    cells = [kernels.move_cell(rules, 0, move) for move in range(rules.move_count)]
    if rules.gravity:
        cells = [cell << row for cell in cells for row in range(rules.rows)]
    parts = []
    for number, cell in enumerate(cells, start=1):
        x, y = _centre(rules, cell)
        parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{RADIUS:g}" class="fl-hole" fill="{light("hole")}"/>'
        )
        if not rules.gravity:
            faint = f'class="fl-cell" fill="{light("text-3")}"'
            parts.append(f'<text x="{x:g}" y="{y + 4:g}" font-size="12" {faint}>{number}</text>')
    if rules.gravity:
        y = PAD + rules.rows * PITCH + STRIP - 1
        for column in range(rules.columns):
            x = PAD + (column + 0.5) * PITCH
            parts.append(f'<text x="{x:g}" y="{y}" font-size="12" fill="#fff">{column + 1}</text>')
    return parts


def _placed(position: Position) -> list[tuple[float, float, int]]:
    """Return where the stones lie in the order of the moves, and whose they are."""
    rules, occupied, found = position.rules, 0, []
    for number, move in enumerate(position.moves):
        cell = kernels.move_cell(rules, occupied, move)
        occupied |= cell
        found.append((*_centre(rules, cell), number % 2))
    return found


def _disc(x: float, y: float, side: int, is_last: bool) -> str:
    name = NAMES[side]
    mark, edge = light(f"{name}-mark"), light(f"{name}-edge")
    ring = (
        f'<circle r="{RADIUS + 2:g}" fill="none" stroke="#fff" stroke-width="2.5" class="fl-last"/>'
    )
    inner = (
        f'<circle r="{0.22 * RADIUS:.2f}" fill="{mark}"/>'
        if side
        else f'<circle r="{0.56 * RADIUS:.2f}" fill="none" stroke="{mark}" stroke-width="1.5"/>'
    )
    return (
        f'<g class="fl-disc" transform="translate({x:g} {y:g})">'
        f'<circle r="{RADIUS - 0.75:g}" fill="{light(name)}" stroke="{edge}" stroke-width="1.5"/>'
        f"{inner}{ring if is_last else ''}</g>"
    )


def _lines(position: Position) -> str:
    """Return the winning line or lines, drawn through their stones."""
    rules, line, parts = position.rules, position.line, []
    for step in (1, rules.rows, rules.rows + 1, rules.rows + 2):
        for place in range(line.bit_length()):
            first = last = 1 << place
            if not line & first or line & (first >> step):
                continue
            while line & (last << step):
                last <<= step
            if (last.bit_length() - 1 - place) // step + 1 >= rules.connect:
                (x1, y1), (x2, y2) = _centre(rules, first), _centre(rules, last)
                parts.append(f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}"/>')
    if not parts:
        return ""
    style = 'stroke="#fff" stroke-width="5" stroke-linecap="round" opacity="0.92"'
    return f'<g class="fl-line" {style}>{"".join(parts)}</g>'


# ---- games --------------------------------------------------------------------------------------

GAME_STYLE = """
.fl-game { display: flex; flex-wrap: wrap; gap: 16px; margin: 0; position: relative }
.fl-moves { display: flex; flex-wrap: wrap; gap: 4px; align-content: flex-start;
  width: 236px; padding-top: 44px; position: relative }
.fl-moves input { position: absolute; opacity: 0; width: 1px; height: 1px; margin: 0 }
.fl-moves label { min-width: 26px; height: 26px; padding: 0 4px; box-sizing: border-box;
  border-radius: 13px; cursor: pointer; text-align: center; line-height: 26px; font-size: 13px;
  margin: 0; background: SUNKEN; color: TEXT; border: 0 }
.fl-moves label:nth-of-type(even) { box-shadow: inset 0 0 0 2px YELLOW }
.fl-moves label:nth-of-type(odd) { box-shadow: inset 0 0 0 2px RED }
.fl-moves label:first-of-type { box-shadow: none; padding: 0 10px }
.fl-moves label:has(:checked) { background: ACCENT; color: ON-ACCENT; font-weight: 600 }
.fl-moves label:has(:focus-visible) { outline: 2px solid CURVE; outline-offset: 2px }
.fl-moves label::before, .fl-moves label::after { position: absolute; top: 0; width: 36px;
  height: 36px; border-radius: 8px; background: SUNKEN; color: TEXT;
  font: 400 22px/34px sans-serif }
.fl-moves label:has(+ label :checked)::before { content: "‹"; left: 0 }
.fl-moves label:has(:checked) + label::after { content: "›"; left: 42px }
.fl-game .fl-last { display: none }
"""


def game_html(record: GameRecord) -> str:
    """Return a game as a strip of moves to step through, beside the board after each of them.

    One goes to a move by a click on it, on the arrows, or with the arrow keys.
    """
    position = record.position()
    stones = [_disc(*stone, is_last=True) for stone in _placed(position)]
    rules = [_after(number) for number in range(len(stones) + 1)]
    only_last = ".fl-game:not(:has(label:last-of-type :checked)) .fl-line { display: none }"
    words = ["start", *(str(move + 1) for move in position.moves)]
    steps = []
    for number, word in enumerate(words):
        chosen = " checked" if number == len(words) - 1 else ""
        said = f"after move {number}" if number else "the beginning"
        steps.append(
            f'<label title="{said}"><input type="radio" name="move"{chosen}>{word}</label>'
        )
    picture = _svg(position, f'<g class="fl-stones">{"".join(stones)}</g>{_lines(position)}')
    ended = record.forfeit or position.outcome.words
    return frame(
        heading(f"{record.first} – {record.second}", record.game, f"{position.ply} moves", ended),
        # A form keeps its choice apart from those of other games; this kind is never sent.
        f'<form method="dialog" class="fl-game">{picture}'
        f'<div class="fl-moves">{"".join(steps)}</div></form>',
        *(f"<pre>{escape(text)}</pre>" for text in record.words()),
        style=STYLE + GAME_STYLE + "".join(rules) + only_last,
    )


def _after(number: int) -> str:
    """Return the rules that show the stones of so many moves, the last of them marked."""
    here = f".fl-game:has(label:nth-of-type({number + 1}) :checked) .fl-disc:nth-of-type"
    marked = f"{here}({number}) .fl-last {{ display: inline }}" if number else ""
    return f"{here}(n+{number + 1}) {{ display: none }}{marked}"
