import pytest

from pmtui.service.topics import WalletTopic
from pmtui.ui.cells import Cell, Line
from pmtui.ui.wallet.paint_card import WalletFunds, paint_card
from pmtui.ui.wallet.signing_card import SigningCard
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.look import shows, text_of
from tests.ui.stage import Stage
from tests.ui.wait import settle, until
from tests.ui.wallet.wallets import APPROVE_CARD, DIGEST


def card_of(service: FakeService, *lines: str) -> SigningCard:
    painted: tuple[Line, ...] = tuple((Cell(line),) for line in lines)
    return SigningCard(lambda _: painted, surface=service.surface())


async def test_a_short_card_signs_after_its_pause() -> None:
    service, answers = FakeService(), list[bool | None]()
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(card_of(service, "first", "last"), answers.append)
        await until(pilot, lambda: shows(app, "last"), "the card")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert answers == []
        assert "Too quick" in text_of(app, "#hint")
        service.at = NOW.replace(second=1)
        await pilot.press("enter")
        await until(pilot, lambda: answers, "the answer")
        assert answers == [True]


async def test_escape_signs_nothing() -> None:
    answers = list[bool | None]()
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(card_of(FakeService(), "only"), answers.append)
        await until(pilot, lambda: shows(app, "only"), "the card")
        await pilot.press("escape")
        await until(pilot, lambda: answers, "the answer")
        assert answers == [False]


async def test_a_long_card_is_read_to_its_end_before_it_signs() -> None:
    service, answers = FakeService(), list[bool | None]()
    app = Stage()
    lines = [f"line {number}." for number in range(1, 41)]
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(card_of(service, *lines), answers.append)
        await until(pilot, lambda: shows(app, "more lines below"), "the card")
        await settle(pilot)
        service.at = NOW.replace(second=1)
        assert shows(app, "enter Read on")
        await pilot.press("enter")
        await until(pilot, lambda: shows(app, "line 20."), "the next page")
        assert answers == []
        await pilot.press("enter")
        await until(pilot, lambda: shows(app, "line 40."), "the last line")
        assert answers == []
        assert not shows(app, "more lines below")
        await until(pilot, lambda: shows(app, "enter Sign"), "the label of the end")
        await pilot.press("enter")
        await until(pilot, lambda: answers, "the answer")
        assert answers == [True]


async def test_arrows_turn_the_lines() -> None:
    app = Stage()
    lines = [f"line {number}." for number in range(1, 41)]
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(card_of(FakeService(), *lines))
        await until(pilot, lambda: shows(app, "line 1."), "the card")
        await pilot.press("down", "j")
        await until(pilot, lambda: shows(app, "line 3.") and not shows(app, "line 2."), "the lines")
        await pilot.press("end")
        await until(pilot, lambda: shows(app, "line 40."), "the end")
        await pilot.press("home")
        await until(pilot, lambda: shows(app, "line 1."), "the start")


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (60, 16)])
async def test_a_batch_is_there_whole_in_every_size(size: tuple[int, int]) -> None:
    service = FakeService()

    def paint(width: int) -> tuple[Line, ...]:
        mode = service.status().mode
        return paint_card(APPROVE_CARD, width, mode=mode, held=WalletFunds(), now=NOW)

    app = Stage()
    async with app.run_test(size=size) as pilot:
        _ = app.push_screen(SigningCard(paint, surface=service.surface()))
        await until(pilot, lambda: shows(app, "PAPER"), "the card")
        await pilot.press("end")
        await until(pilot, lambda: shows(app, DIGEST[-8:]), "the hash")


async def test_a_card_follows_what_the_wallet_holds_and_lets_go_of_it() -> None:
    service, app = FakeService(), Stage()
    told = ["old"]
    card = SigningCard(lambda _: ((Cell(f"{told[-1]} cash"),),), surface=service.surface())
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(card)
        await until(pilot, lambda: shows(app, "old cash"), "the card")
        assert WalletTopic() in service.watched()
        told.append("new")
        service.announce(WalletTopic())
        await until(pilot, lambda: shows(app, "new cash"), "the newer figure")
        await pilot.press("escape")
        await until(pilot, lambda: WalletTopic() not in service.watched(), "the card gone")
