"""`fourlab` and `python -m fourlab`: the command line, with Ctrl-C heard before it is imported."""

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130  # the exit code after Ctrl-C


def leave(sig: int, frame: FrameType | None) -> None:
    """End at once: of an error that is raised while modules are imported, libraries make others."""
    os._exit(INTERRUPTED)


def main() -> None:
    """Run the command line; Ctrl-C ends it without a traceback from the first import on."""
    heard = signal.getsignal(signal.SIGINT)
    if heard == signal.default_int_handler:  # else it is not to be heard
        signal.signal(signal.SIGINT, leave)
    from fourlab.cli.main import main as run

    try:
        signal.signal(signal.SIGINT, heard)
        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
