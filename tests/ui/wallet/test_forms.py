from dataclasses import replace
from typing import Any

import pytest

from pmtui.domain.account.address_book import AddressBook, Contact
from pmtui.domain.account.position import Position
from pmtui.domain.account.wallet_steps import Approve, Convert, Merge, Send, Split, WalletStep
from pmtui.domain.money import ZERO, Micros, parse_micros
from pmtui.ui.wallet.convert_form import NOTHING_REALISED, ConvertForm
from pmtui.ui.wallet.send_form import SendForm
from pmtui.ui.wallet.wallet_form import (
    ExactApprovalForm,
    MergeForm,
    SplitForm,
    WalletStepForm,
    read_amount,
)
from tests.ui.believable import fill
from tests.ui.fake_surface import FakeService
from tests.ui.look import shows, survives_resizing
from tests.ui.onboarded import EXCHANGE
from tests.ui.stage import Stage
from tests.ui.wait import settle, until
from tests.ui.wallet.wallets import BOTH, RACE, STRANGER, approval

m = parse_micros
SURFACE = FakeService().surface()
VAULT = Contact(STRANGER, "Vault")


async def answer_of(form: WalletStepForm, *keys: str, wrong: str = "") -> WalletStep | None:
    """Press the keys in a form and return what it answers; or see what it complains of."""
    answers = list[WalletStep | None]()
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(form, answers.append)
        await until(pilot, lambda: form.is_mounted and shows(app, "Review"), "the form")
        await settle(pilot)
        await pilot.press(*keys, "enter")
        if wrong:
            await until(pilot, lambda: shows(app, wrong), wrong)
            return None
        await until(pilot, lambda: answers, "an answer")
    return answers[0]


def typed(text: str) -> list[str]:
    names = {".": "full_stop", " ": "space", "$": "dollar_sign"}
    return [names.get(letter, letter) for letter in text]


async def test_merging_offers_everything_and_takes_less() -> None:
    whole = await answer_of(MergeForm(SURFACE, BOTH))
    assert whole == Merge(BOTH.condition_id, m("12.5"))
    less = await answer_of(MergeForm(SURFACE, BOTH), *typed("0.000001"))
    assert less == Merge(BOTH.condition_id, Micros(1))


async def shown_by(form: WalletStepForm, *keys: str) -> str:
    """Press keys in a form and return what it foresees."""
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(form)
        await until(pilot, lambda: form.is_mounted and shows(app, "Review"), "the form")
        await pilot.press(*keys)
        await settle(pilot)
        return " ".join("".join(cell.text for cell in line) for line in form.state.lines)


async def test_forms_say_what_is_realised() -> None:
    service = FakeService()
    yes, no = BOTH.outcomes
    positions = tuple(
        Position(
            each.token_id,
            BOTH.condition_id,
            BOTH.title,
            each.label,
            each.size,
            m(price),
            None,
            ZERO,
        )
        for each, price in ((yes, "0.40"), (no, "0.55"))
    )
    service.account_view = replace(service.account_view, positions=positions)
    merged = await shown_by(MergeForm(service.surface(), BOTH), *typed("10"))
    assert "cost 95.0¢" in merged
    assert "+$0.50" in merged
    # Of the 30 Yes 12.5 were split with the No, the others bought: merging the pairs brings nothing.
    mixed, half = replace(positions[0], average_price=m("0.362333")), m("0.5")
    bought = replace(
        fill(1), condition_id=BOTH.condition_id, token_id=yes.token_id, size=m("17.5"),
        price=m("0.264"),
    )  # fmt: skip
    service.own_fills = (bought,)
    service.account_view = replace(
        service.account_view, positions=(mixed, replace(positions[1], average_price=half))
    )
    merged = await shown_by(MergeForm(service.surface(), BOTH), *typed("10"))
    assert "cost 100.0¢ on average: realises $0.00" in merged
    service.account_view = replace(service.account_view, positions=positions[:1])
    assert "average" not in await shown_by(MergeForm(service.surface(), BOTH))
    split = SplitForm(service.surface(), BOTH.condition_id, title=BOTH.title, cash=m("100"))
    assert "50¢" in await shown_by(split, *typed("5"))
    assert NOTHING_REALISED in await shown_by(convert_form())


async def test_more_than_there_is_is_no_merge() -> None:
    form = MergeForm(SURFACE, BOTH)
    await answer_of(form, *typed("13"), wrong="There are only 12.5")


async def test_splitting_takes_at_most_the_cash() -> None:
    def form() -> SplitForm:
        return SplitForm(SURFACE, BOTH.condition_id, title=BOTH.title, cash=m("100"))

    assert await answer_of(form(), *typed("$25.5")) == Split(BOTH.condition_id, m("25.5"))
    await answer_of(form(), *typed("100.01"), wrong="There are only 100 dollars")
    await answer_of(form(), wrong="Enter an amount")


async def test_the_cash_to_split_is_stated_in_whole_cents() -> None:
    def form() -> SplitForm:
        return SplitForm(SURFACE, BOTH.condition_id, title=BOTH.title, cash=m("9927.252066"))

    await answer_of(form(), *typed("9927.252"), wrong="There are only 9,927.25 dollars")
    app, shown = Stage(), form()
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(shown)
        await until(pilot, lambda: shows(app, "of $9,927.25 free"), "what is free")


async def test_an_exact_approval_names_its_amount() -> None:
    view = approval(EXCHANGE.address, "exchange", allowed=0)
    form = ExactApprovalForm(SURFACE, view.approval, name=view.name, is_refused=True)
    assert await answer_of(form, *typed("5")) == Approve((view.approval,), 5_000_000)


def convert_form() -> ConvertForm:
    return ConvertForm(SURFACE, RACE, RACE[1].condition_id, event="Who wins the regatta?")


async def test_converting_gives_no_of_the_chosen_outcomes() -> None:
    first = await answer_of(convert_form())
    assert first == Convert((RACE[1].condition_id,), m("8"))
    two = await answer_of(convert_form(), "shift+tab", "enter", "tab")
    assert two == Convert((RACE[0].condition_id, RACE[1].condition_id), m("8"))


async def test_an_amount_that_was_typed_outlives_another_choice() -> None:
    keys = [*typed("3"), "shift+tab", "enter", "tab"]
    both = (RACE[0].condition_id, RACE[1].condition_id)
    assert await answer_of(convert_form(), *keys) == Convert(both, m("3"))
    again = await answer_of(convert_form(), "shift+tab", "enter", "tab", *typed("2"))
    assert again == Convert(both, m("2"))


async def test_converting_without_an_outcome_says_how_to_choose_one() -> None:
    keys = ("shift+tab", "down", "enter", "tab")
    await answer_of(convert_form(), *keys, wrong="Choose an outcome")


def send_form(cash: str = "100") -> SendForm:
    book = AddressBook((VAULT,))
    return SendForm(SURFACE, cash=m(cash), book=book, sent_to=())


async def test_an_address_is_typed_twice() -> None:
    keys = [*typed(STRANGER), "tab", *typed(STRANGER.lower()), "tab", *typed("7.25")]
    form = SendForm(SURFACE, cash=m("100"), book=AddressBook(), sent_to=())
    assert await answer_of(form, *keys) == Send(STRANGER, m("7.25"))


@pytest.mark.parametrize(
    ("again", "wrong"),
    [("", "a second time"), (STRANGER[:-1] + "7", "The two addresses differ")],
)
async def test_one_that_is_not_repeated_is_not_sent_to(again: str, wrong: str) -> None:
    form = SendForm(SURFACE, cash=m("100"), book=AddressBook(), sent_to=())
    await answer_of(form, *typed(STRANGER), "tab", *typed(again), "tab", *typed("1"), wrong=wrong)


async def test_a_name_of_the_address_book_needs_no_repetition() -> None:
    sent = await answer_of(send_form(), *typed("vault"), "tab", "tab", *typed("3"))
    assert sent == Send(STRANGER, m("3"))
    await answer_of(send_form(), *typed("volt"), wrong="no such name")


async def test_more_cash_than_there_is_is_not_sent() -> None:
    keys = [*typed("vault"), "tab", "tab", *typed("100.5")]
    await answer_of(send_form(), *keys, wrong="There are only 100 dollars")


@pytest.mark.parametrize(
    ("keys", "problem", "told"),
    [
        (typed(STRANGER), "a letter is mistyped", "a letter is mistyped"),
        ([*typed(STRANGER[:-1]), "tab"], "", "40 hexadecimal digits"),
        ([*typed("volt"), "tab"], "", "no such name"),
        ([*typed(STRANGER), "tab", *typed(STRANGER[:-1] + "7")], "", "The two addresses differ"),
        ([*typed(STRANGER), "tab", *typed("0x12"), "tab"], "", "The two addresses differ"),
    ],
)
async def test_a_wrong_address_is_told_without_asking_for_the_card(
    keys: list[str], problem: str, told: str
) -> None:
    service, app, answers = FakeService(address_problem=problem), Stage(), list[object]()
    form = SendForm(service.surface(), cash=m("9"), book=AddressBook(), sent_to=())
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(form, answers.append)
        await until(pilot, lambda: shows(app, "Review"), "the form")
        await pilot.press(*typed("0x12"))
        assert not shows(app, told)
        await pilot.press(*["backspace"] * 4, *keys)
        await until(pilot, lambda: shows(app, told), told)
        assert not shows(app, "First use")
        assert answers == []


async def test_an_address_with_a_wrong_checksum_is_not_reviewed() -> None:
    service, app = FakeService(address_problem="a letter is mistyped"), Stage()
    form = SendForm(service.surface(), cash=m("9"), book=AddressBook(), sent_to=())
    keys = [*typed(STRANGER), "tab", *typed(STRANGER), "tab", *typed("1"), "enter"]
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(form)
        await until(pilot, lambda: shows(app, "Review"), "the form")
        await pilot.press(*keys)
        await until(pilot, lambda: shows(app, "a letter is mistyped"), "the problem")
        await settle(pilot)
        assert form.is_active


@pytest.mark.parametrize("is_known", [False, True])
async def test_a_first_use_is_warned_of_while_it_is_typed(is_known: bool) -> None:
    app = Stage()
    sent_to = (STRANGER,) if is_known else ()
    form = SendForm(SURFACE, cash=m("9"), book=AddressBook((VAULT,)), sent_to=sent_to)
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(form)
        await until(pilot, lambda: shows(app, "Review"), "the form")
        await pilot.press(*typed("vault"))
        await until(pilot, lambda: shows(app, "is 0x7099"), "the contact")
        await until(pilot, lambda: shows(app, "First use") is not is_known, "the warning, or none")


@pytest.mark.parametrize("make", [send_form, convert_form])
async def test_forms_stand_every_size_and_escape_answers_nothing(make: Any) -> None:
    answers = list[WalletStep | None]()
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(make(), answers.append)
        await survives_resizing(pilot, app, "Review")
        await pilot.press("escape")
        await until(pilot, lambda: answers, "the answer")
        assert answers == [None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1", Micros(1_000_000)), ("1,000", Micros(1_000_000_000)), ("$2.5", Micros(2_500_000))],
)
def test_amounts_are_read_exactly(text: str, expected: Micros) -> None:
    assert read_amount(text, None, "dollars") == expected


@pytest.mark.parametrize("text", ["", "0", "-1", "1.0000001", "1e3", "1,5", "many"])
def test_what_is_no_amount_is_said(text: str) -> None:
    assert isinstance(read_amount(text, None, "dollars"), str)


async def test_an_untrusted_title_is_harmless() -> None:
    app, form = Stage(), MergeForm(SURFACE, replace(BOTH, title="a\x1b[2Jb"))
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(form)
        await until(pilot, lambda: shows(app, " ab "), "the title without its escape sequence")
