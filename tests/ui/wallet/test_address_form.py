from pmtui.domain.account.address_book import AddressBook, Contact
from pmtui.ui.wallet.address_form import AddressForm
from tests.ui.fake_surface import FakeService
from tests.ui.look import shows, survives_resizing
from tests.ui.stage import Stage
from tests.ui.wait import settle, until
from tests.ui.wallet.wallets import STRANGER

VAULT = Contact(STRANGER, "Vault")


async def answer_of(service: FakeService, *keys: str, wrong: str = "") -> str | None:
    """Press keys in the form and return what it answers, or see what it complains of."""
    answers = list[str | None]()
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(AddressForm(service.surface()), answers.append)
        await until(pilot, lambda: shows(app, "Address book"), "the form")
        await settle(pilot)
        await pilot.press(*keys, "enter")
        if wrong:
            await until(pilot, lambda: shows(app, wrong), wrong)
            return None
        await until(pilot, lambda: answers, "an answer")
    return answers[0]


async def test_a_name_and_an_address_are_kept() -> None:
    service = FakeService()
    said = await answer_of(service, *"Bank", "tab", *STRANGER)
    assert said == f"Bank is {STRANGER}"
    assert service.calls_of("name_address") == [(STRANGER, "Bank")]


async def test_a_known_name_without_an_address_is_forgotten() -> None:
    service = FakeService(addresses=AddressBook((VAULT,)))
    assert await answer_of(service, *"vault") == "Forgot the name Vault."
    assert service.calls_of("forget_address") == [(STRANGER,)]


async def test_what_cannot_be_kept_says_why() -> None:
    service = FakeService(name_problem="Not an address, or one with a mistyped letter")
    await answer_of(service, *"Bank", wrong="Enter an address")
    await answer_of(service, *"Bank", "tab", *"0x12", wrong="40 hexadecimal")
    await answer_of(service, *"Bank", "tab", *STRANGER, wrong="mistyped letter")


async def test_the_names_are_listed_in_every_size_and_escape_changes_nothing() -> None:
    service = FakeService(addresses=AddressBook((VAULT,)))
    answers = list[str | None]()
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(AddressForm(service.surface()), answers.append)
        await until(pilot, lambda: shows(app, STRANGER), "the name")
        await survives_resizing(pilot, app, "Address book")
        await pilot.press("escape")
        await until(pilot, lambda: answers, "the answer")
    assert answers == [""]
    assert not service.calls


async def test_a_book_that_cannot_be_read_says_so() -> None:
    service = FakeService(addresses=AddressBook(problem="addresses.json cannot be read"))
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        _ = app.push_screen(AddressForm(service.surface()))
        await until(pilot, lambda: shows(app, "cannot be read"), "the problem")
