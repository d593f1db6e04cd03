"""Lists of rows against a real socket: long ones are read beside the loop that hears the keys."""

from threading import get_ident

import pytest

from pmtui.clients.http.paging import LONG_ANSWER, read_rows
from pmtui.domain.answers import Failure, FailureKind
from pmtui.wire.bounds import WireError
from pmtui.wire.rows import Rows
from tests.clients.raw_server import answering, serving


@pytest.mark.parametrize(("size", "is_aside"), [(LONG_ANSWER - 1, False), (LONG_ANSWER, True)])
async def test_a_long_answer_does_not_hold_up_the_loop(size: int, is_aside: bool) -> None:
    def decode(body: bytes) -> Rows[bool]:
        return Rows((get_ident() != here, len(body) == size), skipped=1, reasons=("odd",))

    here, told = get_ident(), list[tuple[str, tuple[str, ...]]]()
    async with serving(answering(b"x" * size)) as server:
        rows = await read_rows(
            server.host(), "/rows", (), decode=decode, observe_skips=lambda *each: told.append(each)
        )
    assert isinstance(rows, Rows)
    assert rows.items == (is_aside, True)
    assert told == [("GET /rows", ("odd",))]


async def test_a_long_answer_that_cannot_be_read_is_a_failure() -> None:
    def decode(_: bytes) -> Rows[bool]:
        raise WireError("rows", "missing")

    async with serving(answering(b"x" * LONG_ANSWER)) as server:
        rows = await read_rows(
            server.host(), "/rows", (), decode=decode, observe_skips=lambda *_: None
        )
    assert isinstance(rows, Failure)
    assert rows.kind is FailureKind.SERVER
