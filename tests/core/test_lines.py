"""Child processes that speak lines, and those that do not listen."""

import os
import signal
import sys

import pytest

from fourlab.core import lines
from fourlab.core.lines import LineProcess

ECHO = """
import sys
for line in sys.stdin:
    if line.strip() == "die":
        sys.exit("on purpose")
    print("heard", line.strip(), flush=True)
"""


def test_a_child_that_speaks_lines_is_heard_and_its_end_too() -> None:
    child = LineProcess([sys.executable, "-c", ECHO])
    child.say("one")
    assert child.hear(60) == "heard one"
    with pytest.raises(TimeoutError):
        child.hear(0.01)
    child.say("die")
    assert child.hear(60) is None
    assert child.errors() == "on purpose\n"
    assert child.errors() == ""  # what was told is not told again
    assert child.leave(60) == "ended with code 1"
    child.say("nobody hears this")


COUNTS = "import sys; [print(len(line), flush=True) for line in sys.stdin]"
DEAF = "import os\nwhile True: os.write(1, b'readyok\\n')"
LONG = "x" * (1 << 20)  # more than a pipe holds


def test_what_a_child_reads_late_is_said_while_it_is_heard() -> None:
    child = LineProcess([sys.executable, "-c", COUNTS])
    child.say("four")
    assert child.hear(60) == "5"
    os.kill(child.process.pid, signal.SIGSTOP)
    child.say(LONG)
    child.say("é")
    assert not child.reads
    os.kill(child.process.pid, signal.SIGCONT)
    assert child.hear(60) == str(len(LONG) + 1)
    assert child.hear(60) == "2"
    assert child.reads
    child.close()
    child.say("nobody hears this")


@pytest.mark.parametrize("code", [DEAF, "import time; time.sleep(3600)"])
def test_nothing_is_heard_of_a_child_that_does_not_listen(code: str) -> None:
    child = LineProcess([sys.executable, "-c", code])
    child.say(LONG)
    for _ in range(2):
        with pytest.raises(TimeoutError):
            child.hear(0.05)
    assert child.leave(0) == "was stopped"


def test_who_dies_before_all_is_said_is_heard_to_the_end() -> None:
    child = LineProcess([sys.executable, "-c", "print('enough')"])
    child.say(LONG)
    assert child.hear(60) == "enough"
    assert child.hear(60) is None
    assert child.reads


def test_who_speaks_without_end_is_not_passed_over_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    child = LineProcess([sys.executable, "-c", "print('one', flush=True); input()"])
    assert child.hear(60) == "one"
    child.say("")
    reads = iter(range(10 * lines.LONGEST_LINE // lines.AT_ONCE))
    monkeypatch.setattr(child, "_poll", Always())
    monkeypatch.setattr(lines.os, "read", lambda *_: bytes(next(reads) >= 0))
    child.forget()  # a faster one than any machine has
    assert next(reads) > 0


class Always:
    """A pipe in which something always stands."""

    def poll(self, _: int) -> bool:
        return True
