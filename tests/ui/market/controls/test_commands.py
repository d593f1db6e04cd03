"""The forms of the trading screen: what opens each, and what is said where one does not."""

from dataclasses import dataclass, field, replace

import pytest

from pmtui.domain.account.wallet_steps import Split, WalletStep
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import Micros
from pmtui.ui.explore.alert_form import AlertForm
from pmtui.ui.explore.reading import RulesScreen
from pmtui.ui.market.controls.commands import MarketForms
from pmtui.ui.ticket.protect import ProtectScreen
from pmtui.ui.ticket.scaled import ScaledScreen
from pmtui.ui.wallet.wallet_form import SplitForm, WalletStepForm
from tests.ui.fake_surface import READ_ONLY_STATUS
from tests.ui.market.controls.desk import Desk, hold_dust
from tests.ui.moving_market import CONDITION


@dataclass
class Steps:
    """Implements `WalletSteps`: what is asked and taken is written down."""

    asked: list[WalletStepForm] = field(default_factory=list)
    taken: list[WalletStep] = field(default_factory=list)

    def ask(self, form: WalletStepForm) -> None:
        self.asked.append(form)

    def take(self, step: WalletStep) -> None:
        self.taken.append(step)


def forms(desk: Desk, steps: Steps | None = None) -> MarketForms:
    return MarketForms(desk.workspace, steps or Steps())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("protect", ProtectScreen), ("scaled", ScaledScreen), ("set_alert", AlertForm),
        ("rules", RulesScreen),
    ],
)  # fmt: skip
def test_each_form_opens_for_the_market_on_show(name: str, kind: type) -> None:
    desk = Desk()
    getattr(forms(desk), name)()
    (screen,) = desk.page.asked
    assert isinstance(screen, kind)


async def test_what_an_alert_form_says_stays_on_the_screen_behind() -> None:
    desk = Desk()
    forms(desk).set_alert()
    await desk.page.answer("Waiting for 60¢.")
    assert desk.said == "Waiting for 60¢."
    await desk.page.answer(None)
    assert desk.said == "Waiting for 60¢."


def test_nothing_held_is_nothing_to_protect() -> None:
    desk = Desk()
    desk.service.account_view = replace(desk.service.account_view, positions=())
    forms(desk).protect()
    assert not desk.page.asked
    assert desk.said == "No position to protect."
    assert desk.line.ignores_key()


def test_dust_is_nothing_to_protect() -> None:
    desk = Desk()
    assert desk.service.account_view.positions
    hold_dust(desk)
    forms(desk).protect()
    assert not desk.page.asked
    assert desk.said == "No position to protect."


def outcome_asked_of(desk: Desk) -> str:
    (screen,) = desk.page.asked
    assert isinstance(screen, ProtectScreen)
    return screen.outcome


def test_what_is_held_of_the_other_outcome_is_protected_from_this_ladder() -> None:
    desk = Desk()
    view = desk.service.account_view
    model = desk.reader.read()
    assert model.terms is not None
    held = model.account.held(model.token_id or TokenId(""))
    (other,) = (token for token in model.terms.token_ids if token != model.token_id)
    desk.service.account_view = replace(view, positions=(), balances=((other, held),))
    forms(desk).protect()
    assert outcome_asked_of(desk) == "No"


def test_beside_pairs_a_short_is_protected_by_a_sale_of_what_is_held() -> None:
    desk = Desk()
    desk.hold(yes=40, no=140)
    forms(desk).protect()
    assert outcome_asked_of(desk) == "No"


def test_one_leg_of_pairs_alone_may_be_sold_at_a_stop() -> None:
    desk = Desk()
    desk.hold(yes=40, no=40)
    forms(desk).protect()
    assert outcome_asked_of(desk) == "Yes"


@pytest.mark.parametrize("name", ["protect", "scaled", "split"])
def test_a_session_without_a_key_opens_no_form_of_an_order(name: str) -> None:
    desk = Desk()
    desk.service.status_view = READ_ONLY_STATUS
    steps = Steps()
    getattr(forms(desk, steps), name)()
    assert not desk.page.asked + steps.asked
    assert desk.said == "Read-only: no key."


@pytest.mark.parametrize("name", ["protect", "set_alert", "split"])
def test_a_market_that_is_not_known_yet_opens_no_form(name: str) -> None:
    desk = Desk()
    desk.reader.condition_id = ConditionId("0xelsewhere")
    steps = Steps()
    getattr(forms(desk, steps), name)()
    assert not desk.page.asked + steps.asked
    assert desk.said.startswith("The market is loading")


def test_a_split_form_stays_until_its_step_is_prepared() -> None:
    desk, steps = Desk(), Steps()
    forms(desk, steps).split()
    (form,) = steps.asked
    assert isinstance(form, SplitForm)
    assert not desk.page.asked
    assert steps.taken == []


def test_a_split_of_an_amount_needs_no_form() -> None:
    desk, steps = Desk(), Steps()
    forms(desk, steps).split(Micros(7_000_000))
    assert not steps.asked
    assert steps.taken == [Split(CONDITION, Micros(7_000_000))]


def test_nothing_is_split_in_a_market_that_is_over() -> None:
    desk = Desk()
    view = desk.service.markets[CONDITION]
    assert view.market is not None
    desk.service.markets[CONDITION] = replace(view, market=replace(view.market, closed=True))
    steps = Steps()
    forms(desk, steps).split(Micros(7_000_000))
    assert steps.taken == []
    assert desk.line.ignores_key()
