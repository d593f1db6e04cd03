"""The question after a service has lost its passphrase; the prompt itself is a journey of `tests/journeys`."""

from pmtui.ui.keys.global_keys import TITLE
from pmtui.ui.question import QuestionScreen
from tests.ui.fake_surface import FakeService
from tests.ui.keys.test_leave_card import attached
from tests.ui.look import shows
from tests.ui.wait import until


async def never(passphrase: bytes) -> str:
    raise AssertionError(len(passphrase))


async def test_it_is_asked_once_and_taken_back_when_another_terminal_has_answered() -> None:
    app = attached(FakeService())
    async with app.run_test(size=(80, 24)) as pilot:
        app.unlock_prompt.open("0xabc", never)
        app.unlock_prompt.open("0xabc", never)
        await until(pilot, lambda: shows(app, TITLE), "the question")
        assert shows(app, "0xabc")
        app.unlock_prompt.withdraw()
        await until(pilot, lambda: not isinstance(app.screen, QuestionScreen), "no question")


async def test_declining_hands_nothing_over_and_the_service_can_be_asked_for_again() -> None:
    app = attached(FakeService())
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(2):
            app.unlock_prompt.open("0xabc", never)
            await until(pilot, lambda: shows(app, TITLE), "the question")
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(app.screen, QuestionScreen), "no question")
