"""Positions become cash from the keys: what is asked for, what is refused, and what stays in sight."""

from dataclasses import replace
from typing import Any

import pytest

from pmtui.domain.account.position import Activity, Position
from pmtui.domain.account.wallet_steps import Convert, Merge, Redeem, Settlement, Split, WalletStep
from pmtui.domain.account.wallet_transactions import TransactionKey, TransactionStatus
from pmtui.domain.money import ONE, ZERO, Micros, parse_micros
from pmtui.service.surface import WalletVerdict
from pmtui.service.topics import WalletTopic
from pmtui.service.views import ActivityView
from pmtui.service.wallet.wallet_views import Failed, NotKnown, WalletCard
from pmtui.ui.keys.actions import DEFAULT_KEYMAP
from pmtui.ui.portfolio.paint_portfolio import Tab
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.portfolio.settle_actions import describe_standing
from pmtui.ui.wallet.signing_card import SigningCard
from pmtui.ui.wallet.transaction import TransactionScreen
from pmtui.ui.widgets.text_line import KeyLine
from tests.ui.demo import ScreenApp
from tests.ui.fake_surface import NOW, Call, FakeService
from tests.ui.look import shows, survives_resizing, text_of
from tests.ui.stage import shown_text
from tests.ui.wait import settle, until
from tests.ui.wallet.wallets import (
    BOTH,
    DIGEST,
    DISPUTED,
    HASH,
    LOST,
    MERGE_CARD,
    RACE,
    READY_WALLET,
    REDEEM_CARD,
    SENT,
    WON,
    call_view,
)

m = parse_micros


def held(settlement: Settlement, index: int = 0) -> Position:
    outcome = settlement.outcomes[index]
    return Position(
        outcome.token_id, settlement.condition_id, settlement.title, outcome.label, outcome.size,
        Micros(400_000), ONE if settlement.is_resolved else Micros(500_000), Micros(0),
        outcome_index=index, is_redeemable=settlement.is_resolved, neg_risk=settlement.neg_risk,
    )  # fmt: skip


def service_with(*positions: Position) -> FakeService:
    service = FakeService(wallet_view=READY_WALLET)
    service.account_view = replace(service.account_view, positions=positions)
    return service


EVERYTHING = (held(WON), held(LOST), held(DISPUTED), held(BOTH), held(BOTH, 1), held(RACE[0], 1))


def app_on(service: FakeService) -> ScreenApp:
    return ScreenApp(PortfolioScreen(service.surface()))


def row(app: ScreenApp, words: str) -> str:
    tables = (table for screen in app.screen_stack for table in screen.query(".-active"))
    return next((line for table in tables for line in shown_text(table) if words in line), "")


def prepared(service: FakeService) -> list[WalletStep]:
    return [step for (step,) in service.calls_of("prepare_wallet") if isinstance(step, WalletStep)]


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_positions_say_won_lost_disputed_and_mergeable(size: tuple[int, int]) -> None:
    app = app_on(service_with(*EVERYTHING))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: "won" in row(app, "Did the May"), "what was won")
        assert "lost" in row(app, "Will the strike")
        assert "disputed" in row(app, "Who signed")
        assert "mergeable" in row(app, "Will it rain")
        assert "WON: pays $2,000.00, R redeems" in text_of(app, "#title")
        await pilot.press("down")
        await until(pilot, lambda: "LOST: pays $0.00" in text_of(app, "#title"), "the lost one")
        await pilot.press("down")
        await until(pilot, lambda: "DISPUTED" in text_of(app, "#title"), "the disputed one")
        await pilot.press("down")
        await until(pilot, lambda: "M merges" in text_of(app, "#title"), "both outcomes")
        await survives_resizing(pilot, app, "M merges")


async def agree(app: ScreenApp, service: FakeService, card: WalletCard, *keys: str) -> None:
    """Press keys that lead to a card, read it to its end, and agree."""
    service.cards = [card]
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: row(app, "Did the May"), "the positions")
        await pilot.press(*keys)
        await until(pilot, lambda: isinstance(app.screen, SigningCard), "the card")
        await settle(pilot)
        await pilot.press("end")
        await until(pilot, lambda: shows(app, DIGEST[-8:]), "the hash")
        service.at = NOW.replace(second=1)
        await pilot.press("enter")
        await until(pilot, lambda: service.calls_of("submit_wallet"), "the submission")
    assert service.calls_of("submit_wallet") == [(card.prepared_id,)]


async def test_r_redeems_the_market_at_the_cursor_after_its_card() -> None:
    service = service_with(*EVERYTHING)
    await agree(app_on(service), service, REDEEM_CARD, "R")
    assert prepared(service) == [Redeem((WON.condition_id,))]


async def test_marked_markets_are_redeemed_together_and_all_of_them_too() -> None:
    service = service_with(*EVERYTHING)
    await agree(app_on(service), service, REDEEM_CARD, "space", "space", "R")
    assert prepared(service) == [Redeem((WON.condition_id, LOST.condition_id))]
    service = service_with(*EVERYTHING)
    await agree(app_on(service), service, REDEEM_CARD, "dollar_sign")
    assert prepared(service) == [Redeem()]


async def test_r_on_a_market_that_is_not_resolved_redeems_what_can_be() -> None:
    service = service_with(held(BOTH), held(WON))
    await agree(app_on(service), service, REDEEM_CARD, "R")
    assert prepared(service) == [Redeem()]


async def test_m_merges_what_both_outcomes_have() -> None:
    service = service_with(held(BOTH), held(BOTH, 1), held(WON))
    await agree(app_on(service), service, MERGE_CARD, "M", "enter")
    assert prepared(service) == [Merge(BOTH.condition_id, m("12.5"))]


async def test_s_splits_cash_and_v_converts() -> None:
    service = service_with(held(BOTH), held(WON))
    await agree(app_on(service), service, MERGE_CARD, "S", "7", "enter")
    assert prepared(service) == [Split(BOTH.condition_id, m("7"))]
    service = service_with(held(RACE[0], 1), held(WON))
    await agree(app_on(service), service, MERGE_CARD, "V", "enter")
    assert prepared(service) == [Convert((RACE[0].condition_id,), m("8"))]


async def test_a_split_is_headed_by_the_name_that_begins_with_its_outcome() -> None:
    named = replace(BOTH, title="Bergen: Where will it rain?")
    service = service_with(replace(held(BOTH), title="Where will it rain?"))
    service.wallet_view = replace(
        READY_WALLET,
        settlements=tuple(named if s == BOTH else s for s in READY_WALLET.settlements),
    )
    async with app_on(service).run_test() as pilot:
        await pilot.press("S")
        await until(pilot, lambda: shows(pilot.app, named.title), "the form names its outcome")


def line(
    kind: str, *, title: str = "", tx: str = "", cash: str = "8", price: Micros | None = None
) -> Activity:
    return Activity(
        kind=kind, title=title, outcome="", side="", price=price, size=m("8"), cash=m(cash),
        at=NOW, transaction_hash=tx,
    )  # fmt: skip


async def test_the_history_says_what_a_conversion_took_and_whom_cash_went_to() -> None:
    converted = replace(
        SENT, title="Convert No of Boat 1 in the regatta", status=TransactionStatus.CONFIRMED,
        calls=(call_view("Convert 8 shares of No of Boat 1 in the regatta"),), hash=HASH,
    )  # fmt: skip
    other = "0x" + "7b" * 32
    sent = replace(converted, title="Send $8.00 to Vault", hash=other, key=TransactionKey("2"))
    service = FakeService(wallet_view=replace(READY_WALLET, transactions=(converted, sent)))
    lines = (
        line("CONVERSION", title="The regatta", price=ZERO, tx=HASH.upper().replace("X", "x")),
        line("WITHDRAWAL", tx=other), line("DEPOSIT"), line("WITHDRAWAL", tx="0x" + "99" * 32),
    )  # fmt: skip
    service.activity_view = ActivityView(activity=lines)
    app = app_on(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press(*["right_square_bracket"] * 4)
        await until(pilot, lambda: "Boat 1" in row(app, "convert"), "the conversion")
        told = text_of(app, "#details")
        assert "-8 No of each, +8 Yes of every other outcome, +$8.00 cash" in told
        assert "0¢" not in row(app, "convert")
        assert "Vault" in row(app, "sent")
        assert "Cash" in row(app, "received")


@pytest.mark.parametrize(
    ("position", "key", "said"),
    [
        (held(DISPUTED), "R", "disputed"),
        (held(DISPUTED), "M", "both outcomes"),
        (held(BOTH), "V", "one winner"),
        (held(WON), "S", "is resolved"),
    ],
)
async def test_what_cannot_be_done_says_why(position: Position, key: str, said: str) -> None:
    service = service_with(position)
    app = app_on(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: row(app, position.title[:9]), "the position")
        await pilot.press(key)
        await until(pilot, lambda: said in text_of(app, "#notice"), said)
    assert prepared(service) == []


async def test_nothing_to_redeem_and_no_wallet_say_so() -> None:
    service = service_with(held(BOTH))
    service.wallet_view = replace(READY_WALLET, settlements=(BOTH,))
    app = app_on(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: row(app, "Will it"), "the position")
        await pilot.press("R")
        await until(pilot, lambda: "Not resolved yet" in text_of(app, "#notice"), "why")
        await pilot.press("dollar_sign")
        await until(pilot, lambda: "nothing to redeem" in text_of(app, "#notice"), "why")
        service.wallet_view = replace(READY_WALLET, reason="only deposit wallets")
        await pilot.press("M")
        await until(pilot, lambda: "only deposit wallets" in text_of(app, "#notice"), "why")


@pytest.mark.parametrize(
    ("verdict", "said"),
    [(Failed("reverted: paused"), "Failed: reverted"), (NotKnown("no answer"), "Not known yet")],
)
async def test_the_end_of_a_step_is_said(verdict: WalletVerdict, said: str) -> None:
    service = service_with(held(WON))
    service.cards, service.wallet_verdicts = [REDEEM_CARD], [verdict]
    app = app_on(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: row(app, "Did the May"), "the position")
        await pilot.press("R")
        await until(pilot, lambda: isinstance(app.screen, SigningCard), "the card")
        await settle(pilot)
        service.at = NOW.replace(second=1)
        await pilot.press("end", "enter")
        await until(pilot, lambda: said in text_of(app, "#notice"), said)


async def test_a_declined_card_signs_nothing() -> None:
    service = service_with(held(WON))
    service.cards = [REDEEM_CARD]
    app = app_on(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: row(app, "Did the May"), "the position")
        await pilot.press("R")
        await until(pilot, lambda: isinstance(app.screen, SigningCard), "the card")
        await pilot.press("escape")
        await until(pilot, lambda: "Nothing was signed" in text_of(app, "#notice"), "the word")
    assert service.calls_of("submit_wallet") == []


async def test_the_transactions_tab_lists_them_and_enter_shows_one() -> None:
    service = service_with()
    app = app_on(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "Positions"), "the portfolio")
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: "… pending" in row(app, "Approve trading"), "the first")
        assert "+ confirmed" in row(app, "Deploy the")
        assert "1 under way" in text_of(app, "#rows-panel")
        assert service.watched() >= {WalletTopic()}
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TransactionScreen), "all of it")
        await until(pilot, lambda: shows(app, HASH), "the hash")
        await survives_resizing(pilot, app, "TRANSACTION")


@pytest.mark.parametrize(
    ("changes", "call"),
    [
        ({}, "stop_following"),
        ({"is_followed": False}, "follow_again"),
        ({"status": TransactionStatus.FAILED}, ""),
    ],
)
async def test_f_stops_following_a_transaction_and_follows_it_again(
    changes: dict[str, Any], call: str
) -> None:
    service = service_with()
    told = replace(SENT, **changes)
    service.wallet_view = replace(READY_WALLET, transactions=(told,))
    screen = TransactionScreen(service.surface(), told.key)
    app = ScreenApp(screen)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, "Approve trading"), "the transaction")
        await pilot.press("f")
        await until(pilot, lambda: text_of(app, "#notice").strip(), "the answer")
    assert service.calls == ([Call(call, (told.key,))] if call else [])


async def test_a_screen_can_begin_with_the_transactions() -> None:
    service = service_with()
    screen = PortfolioScreen(service.surface())
    screen.show_first(Tab.TRANSACTIONS)
    app = ScreenApp(screen)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: row(app, "Approve trading"), "the transactions")
        screen.show_first(Tab.POSITIONS)
        await until(pilot, lambda: shows(app, "No positions"), "the positions")


def test_a_lost_outcome_says_what_redeeming_brings_with_the_other_one() -> None:
    won, lost = WON.outcomes
    both = replace(WON, outcomes=(won, replace(lost, size=m("3"))))
    view = replace(READY_WALLET, settlements=(both,))
    (cell,) = describe_standing(view, held(both, 1), DEFAULT_KEYMAP)
    assert cell.text == "LOST: pays $0.00, both outcomes $2,000.00, R redeems"
    (cell,) = describe_standing(view, held(both), DEFAULT_KEYMAP)
    assert cell.text == "WON: pays $2,000.00, R redeems"


async def test_what_can_be_done_with_a_position_is_offered_and_nothing_else() -> None:
    service = service_with(held(WON), held(LOST), held(BOTH), held(BOTH, 1))
    app = ScreenApp(PortfolioScreen(service.surface()))
    async with app.run_test(size=(160, 40)) as pilot:
        footer = app.screen.query_one("#footer", KeyLine)

        def offered() -> set[str]:
            offered = {entry.id for entry in footer.entries}
            return offered & {"portfolio.redeem", "portfolio.merge", "row.buy", "row.flatten"}

        await until(pilot, lambda: offered() == {"portfolio.redeem"}, "what is won")
        # Redeeming takes what is lost off the list; nothing trades there any more.
        await pilot.press("down", "b")
        await until(pilot, lambda: "trading has ended" in text_of(app, "#notice"), "why not")
        await pilot.press("f")
        await settle(pilot)
        assert "trading has ended" in text_of(app, "#notice")
        assert offered() == {"portfolio.redeem"}
        both = {"portfolio.merge", "row.buy"}
        await pilot.press("down")
        await until(pilot, lambda: offered() == both | {"row.flatten"}, "more Yes than No")
        await pilot.press("down")
        await until(pilot, lambda: offered() == both, "No, all of which is in pairs")
