import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.server import ServerConnection

from pmtui.clients.streams.channels import assign_tokens, make_groups
from pmtui.clients.streams.connection import _MESSAGES_A_TURN, Times
from pmtui.domain.books.market_events import BookSnapshot, MarketEvent, PriceChanges
from pmtui.domain.health import LinkState
from pmtui.domain.ids import TokenId
from tests.clients.streams.channel_kit import (
    CHANGE,
    channel_to,
    running,
    streaming,
    tokens,
)
from tests.clients.streams.servers import Script, ScriptedServer, scripted, until

QUICK = Times(ping_s=0.05, dead_s=2.0, first_delay_s=0.01, longest_delay_s=0.05, close_s=0.2)
BOOK = (
    '{"market":"0xaa","asset_id":"%s","timestamp":"1790000000000","hash":"h","bids":'
    '[{"price":"0.4","size":"10"}],"asks":[{"price":"0.6","size":"5"}],"event_type":"book"}'
)


def sending(*frames: str | list[str]) -> Callable[[ScriptedServer], Script]:
    """Serve the same frames on every connection, a list as fragments; then listen."""

    def make(server: ScriptedServer) -> Script:
        async def script(socket: ServerConnection, number: int) -> None:
            for frame in frames:
                await socket.send(frame)
            await server.listen(socket, number)

        return script

    return make


async def test_books_and_changes_arrive_in_order_from_arrays_objects_and_fragments() -> None:
    books = f"[{BOOK % 1},{BOOK % 2}]"
    fragments = [CHANGE[:30], CHANGE[30:200], CHANGE[200:]]
    async with streaming(sending(books, CHANGE, fragments, BOOK % 3), "1", "2") as (_, _, heard):
        await until(lambda: len(heard.events) == 5, "five events")
    kinds = [BookSnapshot, BookSnapshot, PriceChanges, PriceChanges, BookSnapshot]
    assert [isinstance(e, kind) for e, kind in zip(heard.events, kinds, strict=True)] == [True] * 5
    assert heard.states() == [LinkState.CONNECTING, LinkState.OPEN]


async def test_garbage_is_counted_and_the_socket_stays() -> None:
    garbage = ["{", "NO NEW ASSETS", '"x"', '{"event_type":"surprise"}', "\x00\x01", "null"]
    broken = CHANGE.replace('"BUY"', '"HOLD"')
    async with streaming(sending(*garbage, broken, CHANGE), "1") as (server, channel, heard):
        await until(lambda: len(heard.events) == 1, "the good frame")
        (protocol,) = channel.protocols
        assert protocol.unknown["text NO NEW ASSETS"] == 1
        assert protocol.unknown["surprise"] == 1
        assert protocol.bad["price_change"] == 1
        assert server.connections == 1


async def test_a_frame_of_megabytes_is_read_whole_and_in_order() -> None:
    level = '{"price":"0.4","size":"10"}'
    deep = BOOK.replace(level, ",".join([level] * 1_000))
    big = f"[{','.join(deep % number for number in range(100))}]"
    assert len(big) > 2_000_000
    async with streaming(sending(big), "1") as (_, _, heard):
        await until(lambda: len(heard.events) == 100, "the big books")
        books = [event for event in heard.events if isinstance(event, BookSnapshot)]
        assert [book.token_id for book in books] == [str(number) for number in range(100)]


async def test_a_book_with_a_level_on_every_price_of_the_finest_tick_is_read() -> None:
    level = '{"price":"0.4","size":"10"}'
    every = ",".join(
        f'{{"price":"{n / 10_000:.4f}","size":"1000.123456"}}' for n in range(1, 10_000)
    )
    full = (BOOK % 1).replace(level, every).replace(level.replace("0.4", "0.6"), every)
    async with streaming(sending(full), "1") as (_, _, heard):
        await until(lambda: len(heard.events) == 1, "the full book")


async def test_tokens_are_added_and_removed_on_the_open_socket() -> None:
    async with streaming(sending(), "1", "2") as (server, channel, _):
        await until(lambda: len(server.operations(1)) == 1, "the first subscription")
        channel.watch(tokens("2", "3"))
        await until(lambda: len(server.operations(1)) == 3, "the difference")
    first, removed, added = server.operations(1)
    assert first == {"type": "market", "assets_ids": ["1", "2"], "custom_feature_enabled": True}
    assert removed == {"operation": "unsubscribe", "assets_ids": ["1"]}
    assert (added["operation"], added["assets_ids"]) == ("subscribe", ["3"])
    assert server.connections == 1


async def test_many_tokens_are_named_in_chunks_and_shared_out_over_sockets() -> None:
    async with streaming(sending(), "1", "2", "3", "4", "5", tokens_per_socket=4, chunk=2) as (
        server,
        channel,
        heard,
    ):
        await until(lambda: sum(len(server.operations(n)) for n in (1, 2)) == 3, "three frames")
        await until(lambda: heard.states()[-1] is LinkState.OPEN, "all sockets open")
        assert sorted(len(server.operations(n)) for n in (1, 2)) == [1, 2]
        channel.watch(tokens("5"))
        await until(lambda: len(channel.connections) == 1, "the empty socket closed")


async def test_the_tokens_of_a_market_are_heard_on_one_socket_even_if_one_comes_later() -> None:
    async with streaming(sending(), "1", "2", "3", tokens_per_socket=3) as (server, channel, _):
        await until(lambda: len(server.operations(1)) == 1, "the first subscription")
        channel.watch(tokens("1", "2", "3", "4"), together=[tokens("2", "4", "5")])
        await until(lambda: len(server.operations(2)) == 1, "the second socket")
        await until(lambda: len(server.operations(1)) == 2, "the move away")
        held = [protocol.wanted for protocol in channel.protocols]
    assert held == [tokens("1", "3"), tokens("2", "4")]
    assert server.operations(1)[1] == {"operation": "unsubscribe", "assets_ids": ["2"]}
    assert server.operations(2)[0]["assets_ids"] == ["2", "4"]


async def test_everything_is_subscribed_again_after_a_lost_connection() -> None:
    def make(server: ScriptedServer) -> Script:
        async def script(socket: ServerConnection, number: int) -> None:
            await socket.send(BOOK % 1)
            if number == 1:
                server.received.append((1, str(await socket.recv())))
                return
            await server.listen(socket, number)

        return script

    async with streaming(make, "1", "2") as (server, _, heard):
        await until(lambda: len(server.operations(2)) == 1, "the second subscription")
        await until(lambda: len(heard.events) == 2, "both books")
    assert server.operations(2) == server.operations(1)
    assert heard.states() == [
        LinkState.CONNECTING,
        LinkState.OPEN,
        LinkState.DOWN,
        LinkState.CONNECTING,
        LinkState.OPEN,
    ]
    assert heard.links[-1].epoch > heard.links[0].epoch


async def test_a_host_that_closes_at_once_is_called_ever_more_seldom() -> None:
    def make(server: ScriptedServer) -> Script:
        async def script(socket: ServerConnection, number: int) -> None:
            await socket.close()

        return script

    async with streaming(make, "1", times=Times(first_delay_s=0.02, longest_delay_s=30.0)) as (
        server,
        _,
        heard,
    ):
        await until(lambda: server.connections == 4, "four attempts")
        downs = [link for link in heard.links if link.state is LinkState.DOWN]
        assert len(downs) >= 3
        assert "closed" in downs[0].reason


async def test_pings_are_sent_under_traffic_and_answered_ones_keep_the_socket() -> None:
    def make(server: ScriptedServer) -> Script:
        async def talk(socket: ServerConnection) -> None:
            while True:
                await socket.send(CHANGE)
                await asyncio.sleep(0.01)

        async def script(socket: ServerConnection, number: int) -> None:
            talking = asyncio.create_task(talk(socket))
            try:
                await server.listen(socket, number)
            finally:
                talking.cancel()
                await asyncio.gather(talking, return_exceptions=True)

        return script

    async with streaming(make, "1", times=QUICK) as (server, _, _):
        await until(lambda: [text for _, text in server.received].count("PING") >= 3, "three pings")
        assert server.connections == 1


async def test_a_socket_that_answers_nothing_is_replaced() -> None:
    def make(server: ScriptedServer) -> Script:
        async def script(socket: ServerConnection, number: int) -> None:
            await server.listen(socket, number, pong=number > 1)

        return script

    async with streaming(make, "1", times=QUICK) as (server, _, heard):
        await until(lambda: server.connections == 2, "a second socket")
        await until(lambda: heard.states()[-1] is LinkState.OPEN, "it is open")
    assert LinkState.SILENT in heard.states()
    assert LinkState.DOWN in heard.states()


async def test_a_quiet_socket_is_asked_long_before_the_next_ping_is_due() -> None:
    rare = replace(QUICK, ping_s=600.0, dead_s=0.4)

    def make(server: ScriptedServer) -> Script:
        return server.listen

    async with streaming(make, "1", times=rare) as (server, _, _):
        await until(lambda: [text for _, text in server.received].count("PING") >= 3, "three pings")


@pytest.mark.parametrize(("stood_still_s", "sockets"), [(2.0, 1), (60.0, 2)])
async def test_after_the_program_stood_still_the_stream_begins_anew(
    monkeypatch: pytest.MonkeyPatch, *, stood_still_s: float, sockets: int
) -> None:
    loop = asyncio.get_running_loop()
    real, stood_s = loop.time, 0.0
    monkeypatch.setattr(loop, "time", lambda: real() + stood_s)

    async with streaming(lambda server: server.listen, "1", times=QUICK) as (server, _, heard):
        await until(lambda: len(server.received) > 1, "the socket open and asked")
        # All timers are overdue at once, as after a stop.
        stood_s = stood_still_s
        asked = len(server.received)
        await until(lambda: len(server.received) > asked + 2, "what it asks now")
        assert server.connections == sockets
    stood_still = [link for link in heard.links if "stood still for" in link.reason]
    assert bool(stood_still) is (sockets > 1)


async def test_a_message_that_takes_long_to_come_is_no_silence() -> None:
    seconds = 3.0
    deaf = replace(QUICK, ping_s=600.0, dead_s=2.0)

    def make(_: ScriptedServer) -> Script:
        async def script(socket: ServerConnection, _: int) -> None:
            async def pieces() -> AsyncIterator[str]:
                for n in range(0, len(CHANGE), 10):
                    yield CHANGE[n : n + 10]
                    await asyncio.sleep(seconds * 10 / len(CHANGE))

            await socket.send(pieces())
            await socket.wait_closed()

        return script

    async with streaming(make, "1", times=deaf) as (_, _, heard):
        await until(lambda: bool(heard.events), "the whole message")
        assert heard.links[-1].epoch == heard.links[0].epoch


async def test_a_busy_socket_that_only_pongs_is_replaced() -> None:
    def make(server: ScriptedServer) -> Script:
        async def script(socket: ServerConnection, number: int) -> None:
            for _ in range(40):
                await socket.send(CHANGE)
            await server.listen(socket, number)

        return script

    async with streaming(make, "1", times=QUICK, shortest_s=0.2) as (server, _, heard):
        await until(lambda: server.connections >= 2, "a second socket")
    silent = next(link for link in heard.links if link.state is LinkState.SILENT)
    assert "nothing comes" in silent.reason
    assert LinkState.DOWN not in heard.states()


async def test_under_load_the_socket_is_read_in_batches_and_nothing_is_lost() -> None:
    sent = 3000

    def make(server: ScriptedServer) -> Script:
        async def script(socket: ServerConnection, number: int) -> None:
            for index in range(sent):
                await socket.send(CHANGE)
                if index % 20 == 0:
                    await asyncio.sleep(0)
            await server.listen(socket, number)

        return script

    async with streaming(make, "1") as (_, channel, heard):
        await until(lambda: len(heard.events) == sent, "every change")
        (connection,) = channel.connections
        assert connection.counts.read_pauses > 0
        assert connection.counts.frames < sent + 5


async def test_what_has_piled_up_is_told_in_portions_and_others_get_their_turn() -> None:
    sent, seen = 600, [0]

    def make(server: ScriptedServer) -> Script:
        async def script(socket: ServerConnection, number: int) -> None:
            for _ in range(sent):
                await socket.send(CHANGE)
            await server.listen(socket, number)

        return script

    async def look(events: list[MarketEvent]) -> None:
        while seen[-1] < sent:
            seen.append(len(events))
            await asyncio.sleep(0)

    async with streaming(make, "1") as (_, _, heard):
        await asyncio.wait_for(look(heard.events), 30)
    portions = [after - before for before, after in pairwise(seen)]
    # A turn ends with one portion and begins with the next.
    assert max(portions) <= 2 * _MESSAGES_A_TURN


async def test_nothing_is_opened_before_there_is_something_to_watch() -> None:
    async with scripted(sending()) as server:
        channel = channel_to(server)
        async with running(channel) as heard:
            await asyncio.sleep(0)
            assert (server.connections, heard.links) == (0, [])
            channel.watch(tokens("1"))
            await until(lambda: server.connections == 1, "the first socket")


async def test_a_host_out_of_reach_is_down_with_a_reason() -> None:
    async with scripted(sending()) as server:
        channel = channel_to(server)
        channel.watch(tokens("1"))
    async with running(channel) as heard:
        await until(lambda: LinkState.DOWN in heard.states(), "the link is down")
    assert "cannot connect" in heard.links[1].reason


async def test_only_the_tokens_of_a_closed_socket_are_not_heard() -> None:
    async def second_one_ends(socket: ServerConnection, number: int) -> None:
        if number == 1:
            await server.listen(socket, number)
        await socket.close()

    async with scripted(lambda _: second_one_ends) as server:
        times = Times(first_delay_s=60.0, longest_delay_s=60.0, close_s=0.2)
        channel = channel_to(server, times=times, tokens_per_socket=1)
        channel.watch(tokens("1", "2"))
        assert channel.disconnected() == frozenset()
        async with running(channel) as heard:
            await until(lambda: LinkState.DOWN in heard.states(), "a socket that ended")
            open_ones = [c for c in channel.connections if c.epoch == 1 and c.counts.frames == 0]
            assert len(open_ones) == 2
            assert len(channel.disconnected()) == 1


async def test_without_anything_to_watch_the_stream_is_idle_and_not_lost() -> None:
    async with streaming(sending(BOOK % 1), "1") as (_, channel, heard):
        await until(lambda: heard.states()[-1:] == [LinkState.OPEN], "an open socket")
        channel.watch(tokens())
        await until(lambda: heard.states()[-1:] == [LinkState.IDLE], "it is idle")
        assert channel.connections == ()
        channel.watch(tokens("2"))
        await until(lambda: heard.states()[-1:] == [LinkState.OPEN], "open again")
    assert heard.states() == [
        LinkState.CONNECTING, LinkState.OPEN, LinkState.IDLE, LinkState.CONNECTING, LinkState.OPEN,
    ]  # fmt: skip


def token_set(names: Iterable[object]) -> frozenset[TokenId]:
    return frozenset(TokenId(str(name)) for name in names)


def test_who_is_not_named_stands_alone_and_who_is_not_wanted_is_left_out() -> None:
    groups = make_groups(
        token_set("abcd"), [token_set("ab"), token_set("ba"), token_set("cx"), token_set("bd")]
    )
    assert groups == {token_set("ab"), token_set("c"), token_set("d")}


@pytest.mark.parametrize(
    ("held", "together", "wanted", "expected"),
    [
        ([], ["ab"], "abcd", ["abc", "d"]),
        ([], ["ab", "cd"], "abcde", ["abe", "cd"]),
        (["ab", "cd"], ["ab", "cd"], "abcd", ["ab", "cd"]),
        (["a", "cd"], ["ab", "cd"], "abcd", ["ab", "cd"]),
        (["cde", "a"], ["ab", "cd"], "abcde", ["cde", "ab"]),
        (["acd"], ["ab"], "abcd", ["cd", "ab"]),
        (["acd", "b"], ["ab"], "abcd", ["cd", "ab"]),
        (["ab", "cd"], [], "cd", ["", "cd"]),
    ],
)
def test_markets_stay_or_are_gathered(
    held: list[str], together: list[str], wanted: str, expected: list[str]
) -> None:
    groups = make_groups(token_set(wanted), map(token_set, together))
    found = assign_tokens([token_set(names) & token_set(wanted) for names in held], groups, limit=3)
    assert found == [token_set(names) for names in expected]


def test_a_group_beyond_the_limit_is_divided() -> None:
    groups = make_groups(token_set("abc"), [token_set("abc")])
    assert assign_tokens([], groups, limit=2) == [token_set("ab"), token_set("c")]


NUMBERS = st.frozensets(st.integers(0, 15), max_size=16)


@given(
    held=st.lists(NUMBERS, max_size=4),
    pairs=st.sets(st.integers(0, 7)),
    wanted=NUMBERS,
    limit=st.integers(2, 5),
)
def test_everything_wanted_is_on_one_socket_and_pairs_on_the_same(
    held: list[frozenset[int]], pairs: set[int], wanted: frozenset[int], limit: int
) -> None:
    seen: set[int] = set()
    sockets: list[frozenset[TokenId]] = []
    for numbers in held:
        sockets.append(token_set(sorted((numbers & wanted) - seen)[:limit]))
        seen |= numbers
    groups = make_groups(token_set(wanted), [token_set((2 * pair, 2 * pair + 1)) for pair in pairs])
    shares = assign_tokens(sockets, groups, limit=limit)
    assert sorted(token for share in shares for token in share) == sorted(token_set(wanted))
    assert all(len(share) <= limit for share in shares)
    assert all(any(group <= share for share in shares) for group in groups)
    assert all(shares[len(sockets) :]), "no socket is opened for nothing"
    again = assign_tokens(shares, groups, limit=limit)
    assert again == shares, "who has a place keeps it"
