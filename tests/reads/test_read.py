from datetime import UTC, date, datetime

import pytest

from pmtui.config.endpoints import Dialect
from pmtui.reads.read import (
    MOST_VALUES,
    Argument,
    ArgumentError,
    ArgumentKind,
    Values,
    check_values,
)

DAY = date(2026, 11, 20)
TOKEN = Argument("token_id", ArgumentKind.TOKEN, "token", is_required=True)
TOKENS = Argument("token_id", ArgumentKind.TOKEN, "tokens", is_many=True)
WHEN = Argument("date", ArgumentKind.DAY, "day", default="today")


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (ArgumentKind.TOKEN, ["7", "9" * 78], ["", "9" * 79, "0x7", "٣", "7 "]),
        (ArgumentKind.CONDITION, ["0x" + "aB" * 32], ["0x" + "a" * 63, "a" * 66]),
        (ArgumentKind.ADDRESS, ["0x" + "aB" * 20], ["0x" + "g" * 40, "0x"]),
        (ArgumentKind.NUMBER, ["0", "15"], ["-1", "1.5", "1" * 16]),
        (ArgumentKind.TEXT, ["rain", "Ω"], ["", "x" * 201, "a\nb", "a\x1b[2J"]),
        (ArgumentKind.FLAG, ["true", "false"], ["yes", "TRUE"]),
        (ArgumentKind.DAY, ["2026-11-20"], ["20.11.2026", "2026-13-01"]),
        (ArgumentKind.MOMENT, ["1790000000", "2026-11-20T12:00:00Z"], ["noon", "9" * 30]),
    ],
)
def test_each_kind_takes_its_values_and_no_others(
    kind: ArgumentKind, good: list[str], bad: list[str]
) -> None:
    argument = Argument("what", kind, "something")
    for text in good:
        assert argument.check(text)
    for text in bad:
        with pytest.raises(ArgumentError, match=r"--what (takes|is empty|holds)"):
            argument.check(text)


def test_a_refused_text_is_told_its_own_reason() -> None:
    argument = Argument("tag", ArgumentKind.TEXT, "tag")
    reasons = {
        "": "is empty",
        "x\x1b[31m": "holds a control",
        "\0": "holds a control",
        "x" * 201: "takes a text",
    }
    for text, reason in reasons.items():
        with pytest.raises(ArgumentError) as refused:
            argument.check(text)
        assert refused.value.reason.startswith(reason)
    assert argument.schema()["minLength"] == 1


def test_times_are_sent_as_seconds_whatever_they_were_written_in() -> None:
    argument = Argument("after", ArgumentKind.MOMENT, "time")
    assert argument.check("2026-11-20T12:00:00Z") == "1795176000"
    assert argument.check("2026-11-20T13:00:00+01:00") == "1795176000"
    assert argument.check("2026-11-20") == "1795132800"
    assert argument.check("1795176000") == "1795176000"


def test_values_are_checked_and_defaults_filled_in() -> None:
    values = check_values((TOKEN, WHEN), {"token_id": ["7"]}, today=DAY)
    assert values.text("token_id") == "7"
    assert values.day("date") == DAY
    assert values.text("other") == ""
    assert values.flag("other") is None
    assert values.moment("other") is None


def test_a_default_beside_another_argument_holds_only_with_it() -> None:
    order = Argument("order", ArgumentKind.TEXT, "field")
    ascending = Argument(
        "ascending", ArgumentKind.FLAG, "way", default="false", default_beside="order"
    )
    for given, expected in (
        ({}, None),
        ({"order": ["volume24hr"]}, False),
        ({"order": ["volume24hr"], "ascending": ["true"]}, True),
    ):
        values = check_values((order, ascending), given, today=DAY)
        assert values.flag("ascending") is expected


def test_a_span_that_ends_before_it_begins_is_refused() -> None:
    span = (
        Argument("after", ArgumentKind.MOMENT, "oldest time"),
        Argument("before", ArgumentKind.MOMENT, "newest time"),
    )
    for after, before in (("5", "3"), ("2026-11-20T12:00:00Z", "2026-11-20T11:59:59Z")):
        with pytest.raises(ArgumentError) as refused:
            check_values(span, {"after": [after], "before": [before]}, today=DAY)
        assert refused.value.name == "after"
    for given in ({"after": ["5"], "before": ["5"]}, {"after": ["5"]}, {"before": ["5"]}):
        assert check_values(span, given, today=DAY).by_name.keys() == given.keys()


def test_several_values_come_repeated_or_with_commas() -> None:
    values = check_values((TOKENS,), {"token_id": ["7,8", "9"]}, today=DAY)
    assert values.texts("token_id") == ("7", "8", "9")
    with pytest.raises(ArgumentError, match="at most"):
        check_values((TOKENS,), {"token_id": ["7"] * (MOST_VALUES + 1)}, today=DAY)


@pytest.mark.parametrize(
    "given", [{}, {"token_id": ["7", "8"]}, {"token_id": ["x"]}, {"token_id": ["7"], "z": ["1"]}]
)
def test_what_is_missing_unknown_or_too_much_is_refused(given: dict[str, list[str]]) -> None:
    with pytest.raises(ArgumentError):
        check_values((TOKEN,), given, today=DAY)


def test_a_query_key_belongs_to_a_dialect() -> None:
    plain = Argument("side", ArgumentKind.TEXT, "side")
    spelled = Argument("wallet", ArgumentKind.ADDRESS, "whose", seed_key="user")
    both = Argument("market", ArgumentKind.CONDITION, "m", seed_key="market", live_key="condition")
    assert [a.key(Dialect.SEED) for a in (plain, spelled, both)] == ["side", "user", "market"]
    assert [a.key(Dialect.LIVE) for a in (plain, spelled, both)] == ["side", "user", "condition"]


def test_a_choice_is_spelled_as_its_dialect_does() -> None:
    order = Argument("order", ArgumentKind.TEXT, "o", spellings=(("volume", "VOL", "VOLUME"),))
    assert [order.spelled("volume", dialect) for dialect in (Dialect.SEED, Dialect.LIVE)] == [
        "VOL",
        "VOLUME",
    ]
    assert order.spelled("profit", Dialect.SEED) == "profit"


def test_schemas_say_what_values_look_like() -> None:
    assert TOKEN.schema()["pattern"] == "^([0-9]{1,78})$"
    assert TOKENS.schema()["type"] == "array"
    sided = Argument("side", ArgumentKind.TEXT, "side", choices=("BUY", "SELL"))
    assert sided.schema()["enum"] == ["BUY", "SELL"]
    kinds = {kind: Argument("x", kind, "x").schema()["type"] for kind in ArgumentKind}
    assert kinds[ArgumentKind.NUMBER] == "integer"
    assert kinds[ArgumentKind.FLAG] == "boolean"
    assert kinds[ArgumentKind.DAY] == kinds[ArgumentKind.MOMENT] == "string"


def test_values_turn_into_what_they_mean() -> None:
    values = Values({"closed": ("false",), "after": ("1795176000",)})
    assert values.flag("closed") is False
    assert values.moment("after") == datetime(2026, 11, 20, 12, tzinfo=UTC)
