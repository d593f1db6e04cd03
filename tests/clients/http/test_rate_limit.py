"""The rules of the limiter, stepped by hand."""

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pmtui.clients.http.rate_gate import HostLimits, Limit, RateLimiter, Ticket

BOOKS = Limit(3, 10, frozenset({"GET /books"}))
TAGS = Limit(2, 5, frozenset({"GET /tags", "GET /tags/*"}))
LONG = Limit(7, 40, frozenset({"GET /books", "GET /tags"}))
REST = Limit(5, 10)
CANCELS = Limit(4, 10, frozenset({"DELETE /order"}))
LIMITS = HostLimits((REST, BOOKS, TAGS, LONG, CANCELS), apart=frozenset({"DELETE /order"}))
ROUTES = ("GET /books", "GET /tags", "GET /tags/{id}", "GET /other", "DELETE /order")


def enter(limiter: RateLimiter, route: str, now: float) -> bool:
    ticket, _ = limiter.enter(route, now)
    return ticket.admitted_at is not None


def test_a_route_counts_against_its_own_and_the_common_limits() -> None:
    assert LIMITS.of_route("GET /books") == (REST, BOOKS, LONG)
    assert LIMITS.of_route("GET /tags/{id}") == (REST, TAGS)
    assert LIMITS.of_route("GET /other") == (REST,)
    assert LIMITS.of_route("DELETE /order") == (CANCELS,)


def test_a_full_window_opens_when_its_oldest_request_is_a_period_old() -> None:
    limiter = RateLimiter(LIMITS)
    assert [enter(limiter, "GET /books", now) for now in (0, 1, 2)] == [True] * 3
    assert not enter(limiter, "GET /books", 3)
    assert limiter.wake_at(3) == 10
    assert limiter.admit(9.999) == ()
    assert [ticket.number for ticket in limiter.admit(10)] == [3]
    assert limiter.wake_at(10) is None


def test_a_cancel_waits_neither_for_reads_nor_behind_them() -> None:
    limiter = RateLimiter(LIMITS)
    for _ in range(20):
        limiter.enter("GET /other", 0)
    assert enter(limiter, "DELETE /order", 0)
    assert limiter.line("GET /other", 0) == (15, 10)


def test_lines_with_room_do_not_wait_for_lines_without() -> None:
    limiter = RateLimiter(LIMITS)
    for _ in range(4):
        limiter.enter("GET /tags", 0)
    assert limiter.lines(0) == (("GET /tags", 2, 5),)
    assert enter(limiter, "GET /books", 0)


def test_a_closed_route_keeps_its_line_and_others_go_on() -> None:
    limiter = RateLimiter(LIMITS)
    limiter.close("GET /books", 7)
    limiter.close("GET /books", 4)
    assert not enter(limiter, "GET /books", 1)
    assert enter(limiter, "GET /other", 1)
    assert limiter.closed_for("GET /books", 1) == 6
    assert limiter.closed_for("GET /unheard-of", 1) == 0
    assert limiter.wake_at(1) == 7
    assert len(limiter.admit(7)) == 1


def test_who_leaves_frees_the_place() -> None:
    limiter = RateLimiter(LIMITS)
    tickets = [limiter.enter("GET /books", 0)[0] for _ in range(5)]
    limiter.leave(tickets[3])
    limiter.leave(tickets[3])
    limiter.leave(tickets[0])
    assert limiter.admit(0) == (tickets[4],)


def test_an_emptied_line_is_handed_back() -> None:
    limiter = RateLimiter(LIMITS)
    tickets = [limiter.enter("GET /books", 0)[0] for _ in range(5)]
    assert limiter.evict("GET /books") == tuple(tickets[3:])
    limiter.leave(tickets[4])
    assert limiter.wake_at(0) is None


class Crowd(RuleBasedStateMachine):
    """Requests that come, leave and wait in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.limiter = RateLimiter(LIMITS)
        self.now = 0
        self.waiting: dict[str, list[Ticket]] = defaultdict(list)
        self.let_through: list[Ticket] = []
        self.closed_until: dict[str, int] = defaultdict(int)

    def note(self, admitted: tuple[Ticket, ...]) -> None:
        for ticket in admitted:
            line = self.waiting[ticket.route]
            assert line.pop(0) is ticket, "first come, first served"
            assert ticket.admitted_at == self.now
            assert self.now >= self.closed_until[ticket.route]
            self.let_through.append(ticket)

    @rule(route=st.sampled_from(ROUTES), count=st.integers(1, 6))
    def come(self, route: str, count: int) -> None:
        for _ in range(count):
            ticket, admitted = self.limiter.enter(route, self.now)
            self.waiting[route].append(ticket)
            self.note(admitted)

    @rule(seconds=st.integers(0, 12))
    def pass_time(self, seconds: int) -> None:
        self.now += seconds
        self.note(self.limiter.admit(self.now))

    @rule(route=st.sampled_from(ROUTES), seconds=st.integers(0, 15))
    def close(self, route: str, seconds: int) -> None:
        self.limiter.close(route, self.now + seconds)
        self.closed_until[route] = max(self.closed_until[route], self.now + seconds)

    @precondition(lambda self: any(self.waiting.values()))
    @rule(data=st.data())
    def give_up(self, data: st.DataObject) -> None:
        ticket = data.draw(st.sampled_from([t for line in self.waiting.values() for t in line]))
        self.waiting[ticket.route].remove(ticket)
        self.limiter.leave(ticket)
        self.note(self.limiter.admit(self.now))

    @precondition(lambda self: self.let_through)
    @rule(data=st.data())
    def take_back(self, data: st.DataObject) -> None:
        ticket = data.draw(st.sampled_from(self.let_through))
        self.let_through.remove(ticket)
        self.limiter.leave(ticket)
        self.note(self.limiter.admit(self.now))

    @invariant()
    def no_window_holds_more_than_its_limit(self) -> None:
        for limit in LIMITS.limits:
            covered = [t for t in self.let_through if limit in LIMITS.of_route(t.route)]
            times = sorted(t.admitted_at for t in covered if t.admitted_at is not None)
            for start in times:
                inside = [at for at in times if start <= at < start + limit.period_s]
                assert len(inside) <= limit.requests

    @invariant()
    def nobody_waits_who_could_go(self) -> None:
        wake_at = self.limiter.wake_at(self.now)
        assert (wake_at is None) == (not any(self.waiting.values()))
        assert wake_at is None or wake_at > self.now
        counted = {route: count for route, count, _ in self.limiter.lines(self.now)}
        assert counted == {route: len(line) for route, line in self.waiting.items() if line}


TestCrowd = Crowd.TestCase


@given(st.lists(st.integers(0, 30), max_size=60).map(sorted))
def test_a_window_is_as_full_as_it_may_be(times: list[int]) -> None:
    limiter = RateLimiter(HostLimits((Limit(3, 10),)))
    taken: list[int] = []
    for now in times:
        is_let_through = enter(limiter, "GET /x", now)
        inside = [at for at in taken if at + 10 > now]
        if limiter.line("GET /x", now)[0] == 0:
            assert is_let_through == (len(inside) < 3)
        if is_let_through:
            taken.append(now)
        elif len(inside) < 3:
            return
