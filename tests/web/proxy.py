"""A wire between browser and server that can be frozen and cut."""

import contextlib
import socket
import threading

HOST = "127.0.0.1"


class Wire:
    """Passes bytes on to a port, from a port of its own."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._there, self._back = threading.Event(), threading.Event()
        self._let_through()
        self._ends: set[socket.socket] = set()
        self._listen(0)

    def _listen(self, port: int) -> None:
        self._door = socket.create_server((HOST, port))
        self.port = self._door.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._door,), daemon=True).start()

    def _let_through(self) -> None:
        self._there.set()
        self._back.set()

    def _accept(self, door: socket.socket) -> None:
        with contextlib.suppress(OSError):  # it was cut
            while True:
                near = door.accept()[0]
                self._there.wait()
                if door.fileno() < 0:  # it was cut while this one waited
                    near.close()
                    return
                far = socket.create_connection((HOST, self._target))
                self._ends |= {near, far}
                for ends in ((near, far, self._there), (far, near, self._back)):
                    threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket, flows: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                flows.wait()
                other.sendall(data)
        _close(other)  # whoever reads from it hears of the end, and closes its own
        self._ends.discard(one)
        one.close()

    def freeze(self) -> None:
        """Let nothing through, without a word: a closed lid, a dead spot."""
        self._there.clear()
        self._back.clear()

    def hold_answers(self) -> None:
        """Let nothing through of what the server says; it hears everything."""
        self._back.clear()

    def cut(self) -> None:
        """Break every connection and take no other."""
        for end in (self._door, *self._ends):
            _close(end)
        self._door.close()
        self._let_through()

    def mend(self) -> None:
        """Let everything through again."""
        self._listen(self.port)


def _close(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
