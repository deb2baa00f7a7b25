"""`fourlab serve`, where it cannot begin."""

import errno
import socket

import pytest

from fourlab.cli import serve as serve_module
from fourlab.cli.serve import serve
from fourlab.core.errors import FourlabError


def test_a_port_that_is_taken_is_told_with_another() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(FourlabError, match=f":{port} .*; choose another: --port [0-9]+$"):
            serve(port=port)


@pytest.mark.parametrize(("port", "another"), [(80, 1024), (8080, 8081), (65535, 8080)])
def test_another_port_is_one_that_there_is(
    monkeypatch: pytest.MonkeyPatch, port: int, another: int
) -> None:
    def refuse(host: str, port: int) -> socket.socket:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(serve_module, "_listen", refuse)
    with pytest.raises(FourlabError, match=f"choose another: --port {another}$"):
        serve(port=port)


@pytest.mark.parametrize("host", ["no such name", "192.0.2.1"])
def test_an_address_that_is_not_of_this_machine_is_no_matter_of_the_port(host: str) -> None:
    with pytest.raises(FourlabError, match=r"; write --host 127\.0\.0\.1$"):
        serve(host=host, port=8080)
