"""Which markets hold or delay an order that would take, and for how long."""

from pmtui.domain.ids import ConditionId
from pmtui.sim.admin.switches import HOLD_MS, TakerDelay
from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.venue import Venue

NO_DELAY = TakerDelay()


def delay_of(venue: Venue, condition_id: ConditionId) -> TakerDelay:
    """Return a market's delay: what the operator set, else what its catalogue row says."""
    switched = venue.switches.delays.get(condition_id)
    if switched is not None:
        return switched
    market = venue.market(condition_id)
    return NO_DELAY if market is None else listed_delay(market)


def listed_delay(market: CatalogueMarket) -> TakerDelay:
    """Read the delay from a row of the metadata host."""
    seconds = market.raw.get("secondsDelay")
    return TakerDelay(
        seconds=seconds if isinstance(seconds, int) and seconds > 0 else 0,
        hold_ms=HOLD_MS if market.raw.get("itode") is True else 0,
    )
