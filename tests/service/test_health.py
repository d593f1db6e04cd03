from pmtui.domain.failure import Failure, FailureKind
from pmtui.domain.health import HealthState, Source, SourceHealth
from pmtui.domain.waiting import Waiting
from pmtui.service.health import Health
from pmtui.service.hub import Hub
from pmtui.service.log import Log
from tests.manual_clock import ManualClock


def new_health() -> Health:
    clock = ManualClock()
    hub = Hub(clock)
    return Health(hub, Log(hub, clock), clock)


def of(health: Health, source: Source) -> SourceHealth:
    return next(state for state in health.view() if state.source is source)


def test_the_lines_before_all_routes_of_a_source_are_added_up() -> None:
    health = new_health()
    health.note_waiting(Source.TRADING, Waiting("GET /book", 3, 1.0))
    health.note_waiting(Source.TRADING, Waiting("GET /price", 2, 1.0))
    health.note_waiting(Source.METADATA, Waiting("GET /events", 1, 1.0))
    assert of(health, Source.TRADING).waiting == 5
    health.note_answer(Source.TRADING, elapsed_ms=3)
    health.note_waiting(Source.TRADING, Waiting("GET /book", 0, 0.0))
    trading = of(health, Source.TRADING)
    assert (trading.waiting, trading.state) == (2, HealthState.LIVE)


def test_a_host_that_asks_to_wait_is_alive() -> None:
    health = new_health()
    health.note_failure(Source.TRADING, Failure(FailureKind.BUSY, "GET /book", "slow", 429, 60.0))
    assert health.is_up(Source.TRADING)
    health.note_failure(Source.TRADING, Failure(FailureKind.SERVER, "GET /book", "oops", 500))
    assert of(health, Source.TRADING).reason == "oops"
