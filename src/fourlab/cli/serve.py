"""`fourlab serve`: the web laboratory."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from fourlab.cli.options import as_folder

if TYPE_CHECKING:
    from fastapi import FastAPI

LOCAL = "127.0.0.1"
GRACE_SECONDS = 3  # after Ctrl-C, for requests that are being answered
TIDY_SECONDS = 1.0  # after everything is saved, for threads that were called off
LAST_SECONDS = 8.0  # after Ctrl-C, then the process is ended whatever it does


def serve(
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 opens it to the network.")
    ] = LOCAL,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port.")] = 8080,
    threads: Annotated[
        int, typer.Option(min=0, max=64, help="Threads for thinking; 0: one a core.")
    ] = 0,
    keep: Annotated[
        Path | None,
        typer.Option(
            help="The folder where runs, games and events are kept.",
            show_default=False,
            parser=as_folder,
        ),
    ] = None,
    agents: Annotated[
        Path | None,
        typer.Option(
            help="A folder of agents of your own to offer; visitors can name no others.",
            parser=as_folder,
        ),
    ] = None,
    show: Annotated[bool, typer.Option(help="Open it in the browser.")] = False,
) -> None:
    """Start the web laboratory, by default for this machine alone."""
    from fourlab.core.errors import FourlabError, missing_extra, quoted

    try:
        from fourlab.web.app import create_app
        from fourlab.web.keep.bounds import default_folder
    except ImportError as error:
        raise missing_extra(f"the web laboratory needs {error.name}", "web") from None
    from fourlab.web.warm import prepare_rules

    if agents is not None:
        from fourlab.web.offered import left_out, offer

        typer.echo(f"offered: {', '.join(offer(agents))}")
        if others := left_out(agents):
            typer.echo(others, err=True)
    try:
        listener = _listen(host, port)
    except OSError as error:
        another = f"--port {max(port, 1023) + 1 if port < 65535 else 8080}"
        is_port = error.errno in (errno.EADDRINUSE, errno.EACCES)
        remedy = f"choose another: {another}" if is_port else "write --host 127.0.0.1"
        raise FourlabError(f"cannot listen on {host}:{port} ({error.strerror}); {remedy}") from None
    except (ValueError, TypeError):  # a name that no machine can have
        raise FourlabError(f"--host {quoted(host)} is no address; write 127.0.0.1") from None
    place = keep or default_folder()
    with listener, _own(place):
        prepare_rules()
        app = create_app(host, threads, place)
        name = "localhost" if host == LOCAL else host
        if host not in (LOCAL, "localhost", "::1"):
            typer.echo(
                f"open to the network on {host}: whoever reaches this port can use your processor, "
                "within limits; there is no password and no encryption",
                err=True,
            )
        address = f"http://{name}:{port}/"
        typer.echo(f"fourlab is at {address}  (Ctrl-C ends it)")
        if show:
            import webbrowser

            webbrowser.open(address)
        _answer(app, listener)


@contextlib.contextmanager
def _own(place: Path) -> Iterator[None]:
    """Keep other servers out of a folder, which is made if it is not there."""
    from fourlab.core.held import alone
    from fourlab.core.storage import check_place

    check_place(place / "secret")
    with alone(place):
        yield


def _answer(app: FastAPI, listener: socket.socket) -> None:
    """Answer requests until Ctrl-C."""
    import uvicorn

    from fourlab.web.guard import MOST_BODY

    config = uvicorn.Config(
        app,
        log_level="warning",
        ws_max_size=MOST_BODY,
        lifespan="on",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = uvicorn.Server(config)
    leave = server.handle_exit

    def leave_for_sure(sig: int, frame: FrameType | None) -> None:
        """Close everything; if that does not end, end all the same. Runs are saved on the way."""
        if server.should_exit:  # once more would leave them unsaved
            return
        deadline = threading.Timer(LAST_SECONDS, os._exit, (128 + sig,))
        deadline.daemon = True
        deadline.start()
        leave(sig, frame)

    def end(sig: int, _: FrameType | None) -> None:
        """Leave: all is saved by now. Pressed again on the way out, Ctrl-C is not heard.

        Threads may tidy up, but not for long. To take the interpreter apart takes seconds under
        load, in which no timer of ours would run.
        """
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        over = time.monotonic() + TIDY_SECONDS
        for thread in threading.enumerate():
            if thread is not threading.main_thread() and not thread.daemon:
                thread.join(max(0.0, over - time.monotonic()))
        os._exit(128 + sig)

    server.handle_exit = leave_for_sure  # type: ignore[method-assign]
    signal.signal(signal.SIGINT, end)  # what uvicorn calls when it has closed everything
    server.run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; taken before anything slow, so that a taken port shows."""
    if not host.strip():
        raise ValueError("an empty name would listen on every address")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except BaseException:  # names that are none raise errors of several kinds
        listener.close()
        raise
    return listener
