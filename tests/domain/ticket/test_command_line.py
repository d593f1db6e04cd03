"""The command line: what is written is read again, and what is wrong is pointed at."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.formats import format_cents
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, format_micros
from pmtui.domain.orders.order import TimeInForce
from pmtui.domain.ticket.command_line import (
    LONGEST,
    CancelOrders,
    CancelTarget,
    ChooseTheme,
    Command,
    CommandProblem,
    EnterOrder,
    FindMarkets,
    FlattenPosition,
    GoToPrice,
    GoToScreen,
    ProtectPosition,
    Screen,
    SetAlert,
    SplitCash,
    complete,
    completed,
    describe_command,
    outcome_words,
    parse_command,
)
from pmtui.domain.ticket.draft import OrderKind, SizeUnit, TicketDraft

YES_NO = ("Yes", "No")

numbers = st.integers(1, 99_999).map(str) | st.decimals(1, 9_999, places=2).map(str)
prices = st.integers(1, 99).map(str) | st.decimals(1, 98, places=1).map(str)
lives = st.just("close") | st.tuples(
    st.integers(1, 99), st.sampled_from(["s", "m", "h", "d", ""])
).map(lambda life: f"{life[0]}{life[1]}")


@st.composite
def orders(draw: st.DrawFn) -> EnterOrder:
    is_market = draw(st.booleans())
    times = [TimeInForce.FOK, TimeInForce.FAK] if is_market else list(TimeInForce)
    time_in_force = draw(st.sampled_from(times))
    return EnterOrder(
        TicketDraft(
            side=draw(st.sampled_from(Side)),
            outcome_index=draw(st.integers(0, 1)),
            kind=OrderKind.MARKET if is_market else OrderKind.LIMIT,
            time_in_force=time_in_force,
            price_text="" if is_market else draw(prices),
            size_text=draw(numbers),
            size_unit=draw(st.sampled_from(SizeUnit)),
            is_post_only=draw(st.booleans()),
            expiry_text=draw(lives) if time_in_force is TimeInForce.GTD else "",
            stop_text=draw(st.just("") | prices),
            target_text=draw(st.just("") | prices),
        )
    )


ladder_prices = st.none() | st.integers(1, 9_999).map(lambda price: Micros(price * 100))
commands = st.one_of(
    orders(),
    st.sampled_from(CancelTarget).map(CancelOrders),
    st.integers(1, 9_999).map(lambda p: CancelOrders(CancelTarget.MARKET, Micros(p * 100))),
    st.sampled_from((None, 0, 1)).map(FlattenPosition),
    st.tuples(ladder_prices, ladder_prices)
    .filter(lambda ends: ends != (None, None))
    .map(lambda ends: ProtectPosition(*ends)),
    st.none().map(SplitCash),
    st.integers(1, 999).map(lambda price: GoToPrice(Micros(price * 1_000))),
    st.integers(1, 10**15).map(lambda amount: SplitCash(Micros(amount))),
    st.lists(st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True), min_size=1, max_size=4).map(
        lambda words: FindMarkets(" ".join(words))
    ),
)


def write_command(command: Command, outcomes: Sequence[str]) -> str:
    """Write a command as it would be typed: what is read from it is the same command."""
    match command:
        case EnterOrder(draft):
            return " ".join(write_order(draft, outcomes))
        case CancelOrders(_, price) if price is not None:
            return f"cancel {format_cents(price)}"
        case CancelOrders(scope):
            return f"cancel {scope.value}"
        case FlattenPosition() | ProtectPosition() | SplitCash():
            return write_position(command, outcomes)
        case FindMarkets(text):
            return f"find {text}"
        case GoToPrice(price):
            return f"@{format_cents(price)}"
        case GoToScreen() | ChooseTheme() | SetAlert():
            return write_place(command)


def write_position(
    command: FlattenPosition | ProtectPosition | SplitCash, outcomes: Sequence[str]
) -> str:
    match command:
        case FlattenPosition(index):
            return "flatten" if index is None else f"flatten {outcome_words(outcomes)[index]}"
        case ProtectPosition(stop, target):
            ends = (("stop", stop), ("target", target))
            return " ".join(f"{n} {format_cents(p)}" for n, p in ends if p is not None)
        case SplitCash(amount):
            return "split" if amount is None else f"split {format_micros(amount)}"


def write_place(command: GoToScreen | ChooseTheme | SetAlert) -> str:
    match command:
        case GoToScreen(screen):
            return screen.value
        case ChooseTheme(name):
            return f"theme {name}".strip()
        case SetAlert(price, condition):
            return f"alert {condition if price is None else format_cents(price)}".strip()


def write_order(draft: TicketDraft, outcomes: Sequence[str]) -> list[str]:
    size = draft.size_text
    match draft.size_unit:
        case SizeUnit.DOLLARS:
            size = f"${size}"
        case SizeUnit.PERCENT:
            size = f"{size}%"
        case SizeUnit.SHARES:
            pass
    is_market = draft.kind is OrderKind.MARKET
    words = [draft.side.value.lower(), size, outcome_words(outcomes)[draft.outcome_index]]
    words.append("market" if is_market else draft.price_text)
    words.append(draft.time_in_force.value.lower())
    words += [draft.expiry_text] if draft.time_in_force is TimeInForce.GTD else []
    words += ["po"] if draft.is_post_only else []
    words += ["stop", draft.stop_text] if draft.stop_text else []
    words += ["target", draft.target_text] if draft.target_text else []
    return words


@given(commands)
def test_what_is_written_is_read_as_the_same_command(command: Command) -> None:
    assert parse_command(write_command(command, YES_NO), YES_NO, tick=Micros(1_000)) == command
    assert describe_command(command, YES_NO)


@given(st.text(max_size=LONGEST + 20) | st.text("buysel all 10$%.@gtdpostopx", max_size=60))
def test_any_text_is_a_command_or_a_problem_with_its_place(text: str) -> None:
    for outcomes in (YES_NO, (), ("Up", "Down"), ("Same", "same")):
        found = parse_command(text, outcomes)
        if isinstance(found, CommandProblem):
            assert 0 <= found.start <= found.end <= len(text)
            assert found.text
        assert all(c.word for c in complete(text, outcomes))


@given(st.text(max_size=40), st.data())
def test_a_completed_word_is_one_that_may_stand_there(text: str, data: st.DataObject) -> None:
    candidates = complete(text, YES_NO)
    if candidates:
        chosen = data.draw(st.sampled_from(candidates))
        after = completed(text, chosen)
        assert after.split()[-1] == chosen.word
        assert after.endswith(" ")


def test_an_order_is_read_in_any_order_of_its_wishes() -> None:
    draft = TicketDraft(
        Side.BUY, 0, time_in_force=TimeInForce.GTD, price_text="39.7", size_text="100",
        is_post_only=True, expiry_text="15m", stop_text="38",
    )  # fmt: skip
    for text in (
        "buy 100 yes 39.7 gtd 15m po stop 38",
        "b 100 39.7¢ y PO stop 38c GTD 15m",
        "  buy 100 stop 38 post-only gtd 15m @39.7 Yes ",
    ):
        assert parse_command(text, YES_NO) == EnterOrder(draft)
    assert describe_command(EnterOrder(draft), YES_NO) == (
        "BUY 100 Yes @ 39.7¢ · GTD 15m · post-only · stop 38¢"
    )


def test_sizes_have_units() -> None:
    def draft(text: str) -> TicketDraft:
        found = parse_command(text, YES_NO, outcome_index=1)
        assert isinstance(found, EnterOrder)
        return found.draft

    assert (draft("buy $25 market").size_unit, draft("buy $25 market").kind) == (
        SizeUnit.DOLLARS, OrderKind.MARKET,
    )  # fmt: skip
    assert draft("buy $25 market").time_in_force is TimeInForce.FOK
    assert draft("buy $25 fak mkt").time_in_force is TimeInForce.FAK
    assert draft("sell 50% 61").size_unit is SizeUnit.PERCENT
    assert draft("sell all 61").size_text == "100"
    assert draft("sell 1,000 61").size_text == "1000"
    # The outcome on show is meant where none is named.
    assert draft("sell 5 61").outcome_index == 1


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("sell all", FlattenPosition(0)), ("sell all no", FlattenPosition(1)),
        ("f", FlattenPosition()), ("flatten no", FlattenPosition(1)),
        ("cancel all", CancelOrders(CancelTarget.EVERYWHERE)),
        ("x offers", CancelOrders(CancelTarget.ASKS)),
        ("cancel 39.7", CancelOrders(CancelTarget.MARKET, Micros(397_000))),
        ("stop 38", ProtectPosition(Micros(380_000), None)),
        ("tp 42 sl 38.5", ProtectPosition(Micros(385_000), Micros(420_000))),
        ("split", SplitCash(None)), ("split $7.50", SplitCash(Micros(7_500_000))),
        ("find rate  decision", FindMarkets("rate decision")),
    ],
)  # fmt: skip
def test_short_commands(text: str, command: Command) -> None:
    assert parse_command(text, YES_NO) == command


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", ""), ("buy", ""), ("buy x 40", "x"), ("buy all 40", "all"),
        ("buy 5", ""), ("buy 5 yes", ""), ("buy 5 40 41", "41"), ("buy 5 40 yes no", "no"),
        ("buy 5 40 gtd", ""), ("buy 5 40 gtd soon", "soon"), ("buy 5 40 stop", ""),
        ("buy 5 40 stop low", "low"), ("buy 5 40 fok fak", "fak"), ("buy 5 maybe 40", "maybe"),
        ("cancel", ""), ("cancel them", "them"), ("cancel all now", "now"), ("find", ""),
        ("split 5%", "5%"), ("split 0", "0"), ("split 5 yes", "yes"), ("split some", "some"),
        ("stop", ""), ("stop low", "low"), ("stop 38 38", "38"), ("stop 38 stop 39", "stop"),
        ("flatten maybe", "maybe"), ("flatten yes no", "no"), ("buy 5 market 40", "40"),
        ("alert soon 3", "soon 3"),
    ],
)  # fmt: skip
def test_a_problem_is_pointed_at(text: str, place: str) -> None:
    found = parse_command(text, YES_NO)
    assert isinstance(found, CommandProblem)
    assert text[found.start : found.end] == place


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("buy 5 yes 40", "Not understood: yes; outcomes here: up, down"),
        ("flatten yes", "Not understood: yes; outcomes here: up, down"),
        ("buy 5 up yes 40", "Not understood: yes"), ("flatten up yes", "Not understood: yes"),
    ],
)  # fmt: skip
def test_a_word_that_names_no_outcome_is_answered_with_those_there_are(
    text: str, said: str
) -> None:
    found = parse_command(text, ("Up", "Down"))
    assert isinstance(found, CommandProblem)
    assert found.text == said


@pytest.mark.parametrize(
    ("text", "command", "said"),
    [
        ("portfolio", GoToScreen(Screen.PORTFOLIO), "Go to portfolio"),
        ("Log", GoToScreen(Screen.LOG), "Go to log"),
        ("w", GoToScreen(Screen.WATCHLIST), "Go to watchlist"),
        ("watch", GoToScreen(Screen.WATCHLIST), "Go to watchlist"),
        ("theme", ChooseTheme(""), "Preview themes and choose one"),
        ("theme Nord", ChooseTheme("nord"), "Theme nord"),
        ("alert", SetAlert(), "Set a price alert"),
        ("alert 60", SetAlert(Micros(600_000)), "Set a price alert at 60¢"),
        ("alert spread >= 4", SetAlert(None, "spread >= 4"), "Set an alert: spread >= 4"),
        ("rate decision", FindMarkets("rate decision"), "Search for rate decision"),
        ("bye 5", FindMarkets("bye 5"), "Search for bye 5"),
    ],
)
@pytest.mark.parametrize("outcomes", [(), YES_NO])
def test_a_command_goes_places(
    text: str, command: Command, said: str, outcomes: tuple[str, ...]
) -> None:
    assert parse_command(text, outcomes) == command
    assert describe_command(command, outcomes) == said


@pytest.mark.parametrize(("text", "place"), [("log now", "now"), ("theme a b", "b")])
def test_a_word_too_many_is_pointed_at(text: str, place: str) -> None:
    found = parse_command(text, ())
    assert isinstance(found, CommandProblem)
    assert text[found.start : found.end] == place


def test_nothing_is_traded_without_a_market() -> None:
    for text in ("buy 5 40", "flatten", "stop 38"):
        assert isinstance(parse_command(text, ()), CommandProblem)
    assert parse_command("cancel all", ()) == CancelOrders(CancelTarget.EVERYWHERE)


def test_words_of_outcomes_are_never_words_of_the_language() -> None:
    assert outcome_words(("Under 2.5", "GTD", "44", "Twice", "twice")) == (
        "under2.5", "#2", "#3", "#4", "#5",
    )  # fmt: skip


def test_words_that_may_come_next() -> None:
    def words(text: str) -> list[str]:
        return [candidate.word for candidate in complete(text, YES_NO)]

    assert words("")[:6] == ["buy", "sell", "cancel", "flatten", "stop", "target"]
    assert words("po") == ["portfolio"]
    assert words("c") == ["cancel"]
    assert words("sell ") == ["all"]
    assert words("buy 100 ")[:3] == ["yes", "no", "market"]
    assert words("buy 100 yes 39.7 gt") == ["gtc", "gtd"]
    assert "gtc" not in words("buy 100 yes 39.7 gtd 15m ")
    assert words("buy 100 yes 39.7 gtd ") == []
    assert words("cancel b") == ["bids"]
    assert words("flatten n") == ["no"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("39.75", "Tick 0.1¢: 39.7¢ or 39.8¢"), ("@0.05", "Prices go from 0.1¢ to 99.9¢"),
        ("100", "Prices go from 0.1¢ to 99.9¢"), ("@", "Enter a price in cents, 0.1¢ to 99.9¢"),
        ("@up", "Enter a price in cents, 0.1¢ to 99.9¢"), ("39.7 yes", "Not understood: yes"),
    ],
)  # fmt: skip
def test_a_price_to_go_to_lies_on_the_grid_of_the_ladder(text: str, said: str) -> None:
    found = parse_command(text, YES_NO, tick=Micros(1_000))
    assert isinstance(found, CommandProblem)
    assert found.text == said


def test_a_price_alone_is_where_the_cursor_goes() -> None:
    for text in ("39.7", "@39.7", "39.7¢", " @39.70 "):
        assert parse_command(text, YES_NO, tick=Micros(1_000)) == GoToPrice(Micros(397_000))
    for outcomes, tick in (((), Micros(1_000)), (YES_NO, None)):
        assert isinstance(parse_command("39.7", outcomes, tick=tick), CommandProblem)
