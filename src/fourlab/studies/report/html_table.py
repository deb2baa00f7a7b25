"""A table of a report as HTML."""

from __future__ import annotations

from html import escape

from fourlab.studies.report.tables import WITHIN, Entry, Head, Table

LONG = 32  # letters of a row's name from which it may be broken
DENSE = 3  # columns with published figures beside ours from which a table is set close


def html_table(made: Table, caption: str, bars: bool = False) -> str:
    """Return a table that scrolls sideways; with `bars` shares are drawn too."""
    pairs = sum(head.is_beside for head in made.heads)
    rooms = [
        max((len(line[place].spread) for line in made.rows), default=0)
        for place in range(len(made.heads))
    ]
    rows = "".join(f"<tr>{_row(made, place, rooms, bars)}</tr>" for place in range(len(made.rows)))
    dense = ' class="dense"' if pairs >= DENSE else ""
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Table">'
        f'<table{dense}><caption class="spoken">{escape(caption)}</caption>'
        f"<thead>{_heads(made, bool(pairs))}</thead><tbody>{rows}</tbody></table></div>"
    )


def _heads(made: Table, has_pairs: bool) -> str:
    down = ' rowspan="2"' if has_pairs else ""
    first, second = [], []
    for head in made.heads:
        kind = ' class="text"' if head.form == "text" else ""
        if head.is_beside:
            first.append(f'<th scope="colgroup" colspan="2">{escape(head.title)}</th>')
            second.append('<th scope="col" class="told">published</th><th scope="col">ours</th>')
        else:
            first.append(f'<th scope="col"{down}{kind}>{escape(head.title)}</th>')
    if made.verdicts:
        first.append(f'<th scope="col"{down} class="differs">ours is</th>')
    below = f"<tr>{''.join(second)}</tr>" if has_pairs else ""
    return f"<tr>{''.join(first)}</tr>{below}"


def _row(made: Table, place: int, rooms: list[int], bars: bool) -> str:
    line = made.rows[place]
    kind = ' class="long"' if len(line[0].ours) > LONG else ""
    cells = [f'<th scope="row"{kind}>{escape(line[0].ours)}</th>']
    for head, entry, room in zip(made.heads[1:], line[1:], rooms[1:], strict=True):
        cells.append(_cell(head, entry, room, bars))
    if made.verdicts:
        word = made.in_short(place)
        kind = "differs" if word in ("", WITHIN) else "differs off"
        hint = escape(", ".join(made.verdicts[place]))
        cells.append(f'<td class="{kind}" title="{hint}">{escape(word)}</td>')
    return "".join(cells)


def _cell(head: Head, entry: Entry, room: int, bars: bool) -> str:
    """Return a cell, or two; intervals have one width in a column, so that figures align."""
    kind = "text" if head.form == "text" else "ours" if head.is_beside else ""
    hint = ""
    if entry.verdict not in ("", WITHIN):
        kind, hint = f"{kind} off", f' title="{escape(entry.verdict)} the published figure"'
    spread = ""
    if room:
        width = f' style="min-width:{room * 0.84:.1f}ch"'
        spread = f' <span class="spread"{width}>{escape(entry.spread)}</span>'
    bar = ""
    if bars and entry.part is not None:
        bar = f'<i class="bar"><i style="width:{100 * entry.part:.1f}%"></i></i>'
    told = f'<td class="told">{escape(entry.published)}</td>' if head.is_beside else ""
    return f'{told}<td class="{kind}"{hint}>{escape(entry.ours)}{spread}{bar}</td>'
