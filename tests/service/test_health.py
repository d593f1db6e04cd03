from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.health import HealthState, Link, LinkState, RequestQueue, Source, SourceHealth
from pmtui.service.health import Health
from pmtui.service.hub import Hub
from pmtui.service.log import MOST_REQUESTS, Log
from tests.manual_clock import ManualClock


def new_health(clock: ManualClock | None = None) -> Health:
    clock = clock or ManualClock()
    hub = Hub(clock)
    return Health(hub, Log(hub, clock), clock)


def of(health: Health, source: Source) -> SourceHealth:
    return next(state for state in health.view() if state.source is source)


def test_the_lines_before_all_routes_of_a_source_are_added_up() -> None:
    health = new_health()
    health.note_waiting(Source.TRADING, RequestQueue("GET /book", 3))
    health.note_waiting(Source.TRADING, RequestQueue("GET /price", 2))
    health.note_waiting(Source.METADATA, RequestQueue("GET /events", 1))
    assert of(health, Source.TRADING).waiting == 5
    health.note_answer(Source.TRADING, elapsed_ms=3)
    health.note_waiting(Source.TRADING, RequestQueue("GET /book", 0))
    trading = of(health, Source.TRADING)
    assert (trading.waiting, trading.state) == (2, HealthState.LIVE)


def test_a_host_that_asks_to_wait_is_alive() -> None:
    health = new_health()
    health.note_failure(Source.TRADING, Failure(FailureKind.BUSY, "GET /book", "slow", 429, 60.0))
    assert health.is_up(Source.TRADING)
    health.note_failure(Source.TRADING, Failure(FailureKind.SERVER, "GET /book", "oops", 500))
    assert of(health, Source.TRADING).reason == "oops"


async def test_a_source_nobody_asks_any_more_is_idle_and_trading_only_ages() -> None:
    clock = ManualClock()
    health = new_health(clock)
    asked = (Source.METADATA, Source.ANALYTICS, Source.RELAYER, Source.TRADING)
    for source in asked:
        health.note_answer(source)
    await clock.advance(30)
    assert {of(health, source).state for source in asked} == {HealthState.LIVE}
    await clock.advance(10)
    for source in asked[:3]:
        assert of(health, source).state is HealthState.IDLE
        assert health.is_up(source)
    assert of(health, Source.TRADING).state is HealthState.LIVE
    health.note_answer(Source.METADATA)
    assert of(health, Source.METADATA).state is HealthState.LIVE


async def test_a_source_that_failed_never_passes_for_idle() -> None:
    clock = ManualClock()
    health = new_health(clock)
    health.note_down(Source.METADATA, "no answer")
    await clock.advance(600)
    assert of(health, Source.METADATA).state is HealthState.DOWN


def test_a_stream_that_is_only_quiet_is_not_called_down() -> None:
    clock = ManualClock()
    hub = Hub(clock)
    log = Log(hub, clock)
    health = Health(hub, log, clock)
    listen = health.link_listener(Source.MARKET_STREAM)
    listen(Link(LinkState.OPEN, 1))
    listen(Link(LinkState.SILENT, 1, "open, but nothing comes"))
    assert of(health, Source.MARKET_STREAM).state is HealthState.CONNECTING
    assert log.view().entries == ()
    listen(Link(LinkState.DOWN, 2, "cannot connect"))
    assert of(health, Source.MARKET_STREAM).state is HealthState.DOWN
    assert len(log.view().entries) == 1


def test_hosts_that_have_ended_for_good_say_why_they_are_down() -> None:
    clock = ManualClock()
    hub = Hub(clock)
    log = Log(hub, clock)
    health = Health(hub, log, clock)
    health.note_down(Source.TRADING, "Connection refused")
    health.note_answer(Source.METADATA)
    health.note_gone("the venue ended", "Start again.")
    assert log.view().entries[-1].text == "Start again."
    reasons = {h.source: h.reason for h in health.view()}
    assert reasons[Source.TRADING] == "the venue ended"
    assert reasons[Source.METADATA] == ""
    health.note_down(Source.METADATA, "Connection refused")
    assert log.view().entries[-1].text == f"{Source.METADATA.value} down: the venue ended"


def test_the_round_trip_is_the_quickest_of_the_last_answers() -> None:
    health = new_health()
    for elapsed_ms in (40, 900, 800, 700, 950):
        health.note_answer(Source.TRADING, elapsed_ms=elapsed_ms)
    assert of(health, Source.TRADING).round_trip_ms == 40
    health.note_answer(Source.TRADING, elapsed_ms=1_000)
    assert of(health, Source.TRADING).round_trip_ms == 700


def test_requests_are_kept_apart_numbered_and_bounded() -> None:
    clock = ManualClock()
    hub = Hub(clock)
    log = Log(hub, clock)
    health = Health(hub, log, clock)
    for number in range(MOST_REQUESTS + 2):
        health.requests.add("GET /book", 200, number)
    health.requests.add("POST /order", None, 10_000, text="no complete answer in time")
    view = health.requests.view()
    assert (len(view.entries), view.dropped, log.view().entries) == (MOST_REQUESTS, 3, ())
    last = view.entries[-1]
    assert (last.sequence, last.route, last.status) == (MOST_REQUESTS + 3, "POST /order", None)
