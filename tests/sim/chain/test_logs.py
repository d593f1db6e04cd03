"""What a conversion writes to the log of the local chain."""

from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.signing.contracts import POLYGON
from pmtui.sim.chain.contracts import Condition, Converted
from pmtui.sim.chain.logs import CONVERTED, TRANSFER, TRANSFER_BATCH, write_entries
from tests.sim.chain.owner_kit import Small

WALLET = Address("0xBc0fF067b7740Eff76C1ca93c875Ba6B890d6B50")
EVENT = "0x" + "cc" * 32
LEGS = tuple(ConditionId("0x" + f"b{n}" * 32) for n in range(3))
WORLD = Small(
    conditions={
        leg: Condition(leg, (TokenId(f"{n}0"), TokenId(f"{n}1")), True, None)
        for n, leg in enumerate(LEGS)
    }
)


def topics_of(effect: Converted) -> list[str]:
    return [entry.topics[0] for entry in write_entries(WALLET, [effect], WORLD)]


def test_a_conversion_names_what_went_and_what_came() -> None:
    two = Converted(LEGS[:2], LEGS[2:], 5_000_000, EVENT, 0b11)
    assert topics_of(two) == [TRANSFER_BATCH, CONVERTED, TRANSFER_BATCH, TRANSFER]
    gone, changed, _, paid = write_entries(WALLET, [two], WORLD)
    assert gone.topics[2].endswith(WALLET[2:].lower())
    assert changed.topics[2:] == [EVENT, "0x" + "00" * 31 + "03"]
    assert changed.address == POLYGON.neg_risk_adapter.lower()
    assert int(paid.data, 16) == 5_000_000


def test_one_no_frees_no_cash_and_every_no_brings_no_yes() -> None:
    assert topics_of(Converted(LEGS[:1], LEGS[1:], 5, EVENT, 1)) == [
        TRANSFER_BATCH, CONVERTED, TRANSFER_BATCH,
    ]  # fmt: skip
    assert topics_of(Converted(LEGS, (), 5, EVENT, 7)) == [TRANSFER_BATCH, CONVERTED, TRANSFER]
