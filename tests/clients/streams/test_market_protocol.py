import json
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pmtui.clients.streams.protocols import MarketProtocol
from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.market_events import BookSnapshot, MarketEvent, PriceChanges
from pmtui.domain.ids import TokenId
from pmtui.domain.money import parse_micros

TOKENS = st.frozensets(st.integers(0, 12).map(lambda number: TokenId(str(number))), max_size=10)
FIRST = json.dumps(
    {
        "event_type": "book",
        "market": "0xa",
        "asset_id": "7",
        "timestamp": "1",
        "bids": [],
        "asks": [],
    }
).encode()
SENT = st.tuples(
    st.sampled_from(["BUY", "SELL", "buy", "sell"]),
    st.integers(1, 99).map(lambda cents: f"0.{cents:02d}"),
    st.integers(0, 9).map(str),
)
GARBAGE = st.sampled_from([b"", b"{", b"PONG", b"[[]]", b"NO NEW ASSETS", b"\xff", b'{"a":1}'])


def told(protocol: MarketProtocol, frame: bytes) -> list[MarketEvent]:
    events: list[MarketEvent] = []
    protocol.received(frame, events.append)
    return events


@given(steps=st.lists(TOKENS, max_size=8), chunk=st.integers(1, 4))
def test_what_was_sent_adds_up_to_what_is_wanted(
    steps: list[frozenset[TokenId]], chunk: int
) -> None:
    protocol = MarketProtocol(chunk=chunk)
    subscribed: set[str] = set()
    frames = list(protocol.opened())
    greetings = 0
    for wanted in steps:
        frames = list(protocol.watch(wanted))
        for text in frames:
            frame = json.loads(text)
            greetings += "type" in frame
            assert len(frame["assets_ids"]) <= chunk
            if frame.get("operation") == "unsubscribe":
                subscribed -= set(frame["assets_ids"])
            else:
                assert greetings == 1, "the first subscription is the greeting"
                subscribed |= set(frame["assets_ids"])
        assert subscribed == wanted
    assert greetings <= 1
    protocol.closed()
    assert protocol.watch(frozenset()) == ()


@given(
    sent=st.lists(SENT, max_size=30),
    garbage=st.lists(GARBAGE, max_size=5),
    seed=st.integers(),
)
def test_in_any_order_doubled_and_among_garbage_the_book_is_what_came_last(
    sent: list[tuple[str, str, str]], garbage: list[bytes], seed: int
) -> None:
    frames = [
        json.dumps(
            {
                "event_type": "price_change", "market": "0xa", "timestamp": "2",
                "price_changes": [{"asset_id": "7", "side": side, "price": price, "size": size}],
            }
        ).encode()
        for side, price, size in sent
    ]  # fmt: skip
    random = Random(seed)
    order = [*frames, *random.choices(frames, k=len(frames) // 3)] if frames else []
    random.shuffle(order)
    for junk in garbage:
        order.insert(random.randint(0, len(order)), junk)
    protocol, book = MarketProtocol(), OrderBook(TokenId("7"))
    model: dict[tuple[str, int], int] = {}
    for frame in (FIRST, *order):
        for event in told(protocol, frame):
            if isinstance(event, BookSnapshot):
                book.apply_snapshot(event)
            elif isinstance(event, PriceChanges):
                for change in event.changes:
                    book.apply_change(change)
                    model[change.side, parse_micros(change.price)] = parse_micros(change.size)
    held = {key: size for key, size in model.items() if size}
    assert book.best_bid == max((p for side, p in held if side == "BUY"), default=None)
    assert book.best_ask == min((p for side, p in held if side == "SELL"), default=None)


def test_unknown_kinds_are_counted_but_not_without_bound() -> None:
    protocol = MarketProtocol()
    for index in range(300):
        assert told(protocol, json.dumps({"event_type": f"kind {index}"}).encode()) == []
    assert len(protocol.unknown) <= 201
    assert protocol.unknown["others"] == 100


def test_the_hosts_sign_of_life_is_no_data() -> None:
    heard: list[MarketEvent] = []
    assert not MarketProtocol().received(b"PONG", heard.append)
    assert MarketProtocol().received(b"{}", heard.append)
    assert heard == []
