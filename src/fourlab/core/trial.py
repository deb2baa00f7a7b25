"""Somebody's own code is first imported in a process of its own, where it can be ended.

Importing runs it: it may hang, end its process or fill the memory, and only a process of its own
keeps that to itself. A file that hangs there is told by its line.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import Any

from fourlab.core import borrowed, own, starting, waiting
from fourlab.core.errors import OwnCodeError
from fourlab.core.limit import Limit
from fourlab.core.lines import LineProcess, own_pipes, python_with_fourlab, told_in

SECONDS = starting.EVERY * starting.LOOKS  # for an import
END_SECONDS = 1.0  # that a process which says no more may take to end


def try_out(place: str, seconds: float = SECONDS) -> None:
    """Import a file or a module elsewhere; raises OwnCodeError if that does not come to an end.

    What fails as Python fails comes to an end: whoever imports it then sees the error itself.
    """
    child = LineProcess(python_with_fourlab("fourlab.core.trial"))
    try:
        child.restrict(strictly=True)
        late, name = f"still being imported after {seconds:g} s", place.partition("@")[0]
        child.say(json.dumps({"own": own.carried(), "place": place, "late": late}))
        with waiting.notice(f"still importing {name}, for up to {seconds:g} s ..."):
            failure = _failure(child, name, seconds, late)
        if failure:
            raise OwnCodeError(failure)
    finally:
        child.close()


def _failure(child: LineProcess, name: str, seconds: float, late: str) -> str:
    """Return why an import did not come to an end, '' if it did."""
    watch, line = Limit(seconds).watch(), f"{name}: {late}"
    while True:
        try:
            heard = child.hear(max(watch.left, 0.0))
        except TimeoutError:
            return line
        if heard is None:
            sys.stderr.write(child.errors())  # its last words
            return f"{name}: its process {child.leave(END_SECONDS)} while it was imported"
        said = told_in(heard)
        if "ends" in said:
            return str(said["ends"])
        line = str(said.get("line") or line)


def main() -> None:
    """Import what standard input names, and tell every second which line it is in."""
    borrowed.is_shared = False
    heard, pipe = own_pipes()
    here, speaking = threading.get_ident(), threading.Lock()

    def say(**message: Any) -> None:
        with speaking:
            pipe.write(json.dumps(message) + "\n")
            pipe.flush()

    request = json.loads(heard.readline())

    def look() -> None:
        while True:
            time.sleep(starting.EVERY)
            say(line=own.line_now(here, request["late"]))

    own.carry(own.unpacked(request["own"]))
    threading.Thread(target=look, daemon=True).start()
    say(ends=_fault(request["place"]))
    os._exit(0)  # whatever it left running


def _fault(place: str) -> str:
    """Import it here; return what it does that it shall not do elsewhere."""
    fault = ""
    try:
        own.load(place)
    except BaseException as error:  # nobody else interrupts this process
        fault = str(error) if isinstance(error.__cause__, MemoryError) else ""
    try:
        for stream in range(3):
            os.fstat(stream)
    except OSError:
        fault = f"{place.partition('@')[0]}: closes a standard stream while it is imported"
    return fault


if __name__ == "__main__":
    main()
