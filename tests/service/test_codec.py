"""Every view, topic, command and verdict is sent through the codec, filled to the last field."""

from typing import get_args, get_type_hints

import pytest

from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.orders.order import CancelVerdict, MoveVerdict, Rejected, Verdict
from pmtui.service import views
from pmtui.service.codec import (
    CodecError,
    decode,
    decode_call,
    encode,
    encode_call,
    kinds_of_arguments,
)
from pmtui.service.surface import Commands
from pmtui.service.topics import VIEW_TYPES, BookTopic, StatusTopic, Topic
from tests.service.every_topic import examples, rows


def names_of(protocol: type) -> list[str]:
    return sorted(
        name
        for name in dir(protocol)
        if not name.startswith("_") and callable(getattr(protocol, name))
    )


def returned(protocol: type, name: str) -> object:
    return get_type_hints(getattr(protocol, name))["return"]


def goes_there_and_back(kind: object) -> None:
    count = 0
    for value in examples(kind):
        assert decode(encode(value), kind) == value
        count += 1
    assert count


@pytest.mark.parametrize("topic", get_args(Topic), ids=lambda topic: topic.__name__)
def test_every_topic_travels(topic: object) -> None:
    goes_there_and_back(topic)
    goes_there_and_back(Topic)


@pytest.mark.parametrize("view", VIEW_TYPES.values(), ids=lambda view: view.__name__)
def test_every_view_travels(view: object) -> None:
    goes_there_and_back(view)


@pytest.mark.parametrize("command", names_of(Commands))
def test_every_command_and_its_answer_travel(command: str) -> None:
    kinds = kinds_of_arguments(command)
    for arguments in rows(kinds.values(), lambda parts: dict(zip(kinds, parts, strict=True))):
        assert isinstance(arguments, dict)
        assert decode_call(encode_call(command, arguments)) == (command, arguments)
    goes_there_and_back(returned(Commands, command))


@pytest.mark.parametrize("verdict", [Verdict, CancelVerdict, MoveVerdict])
def test_every_verdict_travels(verdict: object) -> None:
    goes_there_and_back(verdict)


def test_every_topic_has_a_view_of_its_own() -> None:
    assert len(set(VIEW_TYPES.values())) == len(get_args(Topic))


def test_every_view_is_one_of_a_topic_or_part_of_one() -> None:
    named = {cls.__name__ for cls in vars(views).values() if isinstance(cls, type)}
    told = {view.__name__ for view in VIEW_TYPES.values()}
    assert {name for name in named if name.endswith("View")} - told <= {"HeartbeatView"}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (BookTopic(TokenId("1")), StatusTopic),
        (Rejected("no"), Topic),
        (("a", "b"), tuple[str, str, str]),
        ("a", int),
        (True, int),
        (OrderId("0x1"), BookTopic),
    ],
)
def test_what_does_not_fit_is_refused(value: object, kind: object) -> None:
    with pytest.raises(CodecError):
        decode(encode(value), kind)


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x93\x01", b"\x91" * 100_000 + b"\xc0"])
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(CodecError):
        decode(data, StatusTopic)
    with pytest.raises(CodecError):
        decode_call(data)


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("kill", {"all": True}),
        ("cancel_market", {}),
        ("__init__", {}),
        ("no_such", {}),
        ("disarm", {"reason": 3}),
    ],
)
def test_a_call_that_no_command_takes_is_refused(
    command: str, arguments: dict[str, object]
) -> None:
    with pytest.raises(CodecError):
        decode_call(encode_call(command, arguments))
