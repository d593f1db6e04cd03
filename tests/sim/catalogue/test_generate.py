import gzip
import random
from importlib import resources

import pytest

from pmtui.sim.catalogue.gamma import chain_ids, text_of
from pmtui.sim.catalogue.load import PACKAGED_NAME
from pmtui.sim.catalogue.model import Catalogue, MarketState
from tests.catalogue import generate, shapes
from tests.catalogue.drafts import People, exclusive_prices


def _packaged_bytes() -> bytes:
    return resources.files("pmtui.sim.catalogue").joinpath(PACKAGED_NAME).read_bytes()


def test_the_packaged_file_is_what_the_generator_writes() -> None:
    # What is inside is compared: other builds of zlib may pack the same text differently.
    assert gzip.decompress(_packaged_bytes()) == generate.catalogue_json()


@pytest.mark.no_cover
def test_packing_names_no_time_and_no_file() -> None:
    packed = generate.packed_catalogue()
    assert packed[:4] == b"\x1f\x8b\x08\x00"
    assert packed[4:8] == b"\x00\x00\x00\x00"
    assert packed == generate.packed_catalogue()


def test_the_packaged_file_is_small() -> None:
    assert len(_packaged_bytes()) <= 600_000


def test_another_seed_writes_another_catalogue() -> None:
    assert generate.catalogue_json(7) != generate.catalogue_json(8)


def test_ids_follow_the_derivation_of_the_contracts(packaged: Catalogue) -> None:
    checked = 0
    for market in packaged.markets[::9]:
        if market.state is MarketState.LEGACY or not market.token_ids:
            continue
        condition_id, tokens = chain_ids(market.question_id, neg_risk=market.neg_risk)
        assert market.condition_id == condition_id
        assert market.token_ids == tokens
        checked += 1
    assert checked > 80


def test_question_ids_of_a_negative_risk_event_count_up_from_its_market_id(
    packaged: Catalogue,
) -> None:
    for event in packaged.events:
        if not event.neg_risk:
            continue
        neg_risk_id = text_of(event.raw, "negRiskMarketID")
        assert neg_risk_id.endswith("00")
        for index, market in enumerate(event.markets):
            assert market.question_id == f"{neg_risk_id[:-2]}{index:02x}"
            assert market.raw["negRiskMarketID"] == neg_risk_id


def test_prices_of_exclusive_outcomes_add_up_to_about_one() -> None:
    rng = random.Random(4)
    for count in (3, 12, 100):
        prices = exclusive_prices([rng.random() for _ in range(count)], rng)
        assert 0.98 < sum(prices) < 1.1


def test_nobody_gets_a_name_twice() -> None:
    people = People(random.Random(1))
    names = people.take(100) + people.take(200)
    assert len(set(names)) == 300


def test_slugs_are_plain_and_keep_dates_to_be_written() -> None:
    assert shapes.slug_of("São Telmo — Öland's “5%” [x]") == "sao-telmo-olands-5-percent-x"
    assert shapes.slug_of("Up by {{60|long}}?") == "up-by-{{60|slug}}"
    assert shapes.slug_of("Rates in {{60|month}}") == "rates-in-{{60|monthslug}}"
