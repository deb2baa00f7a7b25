"""Browsers are told apart, by each laboratory for itself."""

import json
from base64 import b64decode, b64encode
from pathlib import Path

import httpx
import pytest
from itsdangerous import TimestampSigner

from fourlab.web.cookie import cookie_name, kept_secret
from web.server import Server


def secret_of(server: Server) -> str:
    return (server.folder / "kept" / "secret").read_text()


def test_two_laboratories_on_one_host_take_nobodys_cookie(server: Server, tmp_path: Path) -> None:
    other = Server(tmp_path)
    other.start()
    try:
        with httpx.Client(timeout=60) as browser:
            for one in (server, other):
                assert browser.get(one.url + "/shelf").headers["Set-Cookie"]
            for one in (server, other):
                assert "Set-Cookie" not in browser.get(one.url + "/shelf").headers
    finally:
        other.stop()


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_cookie_of_the_old_name_counts_where_this_laboratory_signed_it(
    server: Server, is_ours: bool
) -> None:
    secret = secret_of(server)
    signer = TimestampSigner(secret if is_ours else "another laboratory's")
    old = signer.sign(b64encode(json.dumps({"id": "ann"}).encode())).decode()
    with httpx.Client(timeout=60) as browser:
        answer = browser.get(server.url + "/shelf", headers={"Cookie": f"a=b; session={old}"})
        value = answer.cookies[cookie_name(secret)]
        found = json.loads(b64decode(TimestampSigner(secret).unsign(value)))
        assert (found["id"] == "ann") is is_ours
        assert "Set-Cookie" not in browser.get(server.url + "/shelf").headers


def test_the_secret_outlives_the_server_and_is_nobody_elses(tmp_path: Path) -> None:
    secret = kept_secret(tmp_path)
    assert kept_secret(tmp_path) == secret
    assert (tmp_path / "secret").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("found", [b"", b"short", b"\xff" * 40])
def test_a_secret_that_is_none_is_made_anew(tmp_path: Path, found: bytes) -> None:
    (tmp_path / "secret").write_bytes(found)
    assert len(kept_secret(tmp_path)) > 40
