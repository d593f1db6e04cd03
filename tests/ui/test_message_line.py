"""What a key is answered with: how long it is shown, and what takes its place."""

from dataclasses import replace
from datetime import timedelta

from pmtui.service.views import Level, LogEntry, LogView
from pmtui.ui.message_line import FORM_REST_S, MessageLine, NoticeAge
from tests.ui.fake_surface import FakeService


class Shown:
    """Counts how often the screen was told that its message changed."""

    def __init__(self) -> None:
        self.service = FakeService()
        self.changes = 0
        self.line = MessageLine(self.service, self._note)

    @property
    def text(self) -> str:
        message = self.line.current()
        return "" if message is None else message.text

    def log(self, level: Level) -> None:
        entries = self.service.log_view.entries
        number = entries[-1].sequence + 1 if entries else 1
        entry = LogEntry(number, self.service.at, level, "notice", "news")
        self.service.log_view = LogView((*entries, entry), 0, 0)

    def wait(self, wait_s: float) -> None:
        self.service.at += timedelta(seconds=wait_s)

    def _note(self) -> None:
        self.changes += 1


def test_a_message_is_shown_for_five_seconds() -> None:
    shown = Shown()
    shown.line.show("Not sent.")
    assert (shown.text, shown.changes) == ("Not sent.", 1)
    shown.wait(4.9)
    assert shown.text == "Not sent."
    shown.wait(0.1)
    assert shown.text == ""


def test_a_refusal_is_known_to_be_newer_than_what_was_sent_before() -> None:
    shown = Shown()
    shown.line.show("Sent.")
    sent = shown.line.mark
    assert not shown.line.is_refusing_since(sent)
    shown.line.refuse("Not sent.")
    assert shown.line.is_refusing_since(sent)
    assert not shown.line.is_refusing_since(shown.line.mark)
    shown.line.show("Sent again.")
    assert not shown.line.is_refusing_since(sent)
    shown.line.refuse("Not sent.")
    shown.wait(5)
    assert not shown.line.is_refusing_since(sent)


def test_news_as_bad_takes_the_place_of_a_message_and_good_news_waits() -> None:
    shown = Shown()
    shown.log(Level.BAD)
    shown.line.show("Not sent.")
    shown.log(Level.GOOD)
    assert shown.text == "Not sent."
    shown.log(Level.WARNING)
    assert shown.text == ""


def test_any_news_but_information_takes_the_place_of_a_confirmation() -> None:
    shown = Shown()
    shown.line.confirm("Group 5¢.")
    shown.log(Level.INFO)
    assert shown.text == "Group 5¢."
    shown.log(Level.GOOD)
    assert shown.text == ""


def test_a_confirmation_is_shown_for_three_seconds_and_withdrawn_by_itself() -> None:
    shown = Shown()
    shown.line.confirm("Group 5¢.")
    shown.wait(3)
    assert shown.text == ""
    shown.line.show("Not sent.")
    shown.line.take_back_confirmation()
    assert shown.text == "Not sent."
    shown.line.confirm("Group 5¢.")
    shown.line.take_back_confirmation()
    assert shown.text == ""


def test_only_a_message_that_begins_so_is_withdrawn() -> None:
    shown = Shown()
    shown.line.show("No order of yours at 50¢.")
    shown.line.take_back("ARMED", "OVERRIDE")
    assert shown.text
    shown.line.take_back("ARMED", "No order of yours")
    assert shown.text == ""
    assert shown.changes == 2


def test_keys_are_ignored_once_after_a_form_did_not_open() -> None:
    shown = Shown()
    assert not shown.line.ignores_key()
    shown.line.refuse_form("Read-only: no key.")
    assert shown.line.ignores_key()
    assert shown.text.startswith("The form did not open")
    shown.wait(FORM_REST_S)
    assert not shown.line.ignores_key()
    shown.line.refuse_form("Read-only: no key.")
    shown.line.forget_refusal()
    assert not shown.line.ignores_key()


def test_what_is_said_and_ignored_ends_while_the_recorded_time_stands_still() -> None:
    shown = Shown()
    shown.line.refuse_form("Read-only: no key.")
    shown.service.waited_s += FORM_REST_S
    assert not shown.line.ignores_key()
    assert shown.text
    shown.service.waited_s = 5
    assert shown.text == ""


def test_a_notice_ages_in_real_seconds_whatever_a_replay_does() -> None:
    service, age = FakeService(), NoticeAge()
    first = LogEntry(1, service.at, Level.GOOD, "notice", "news")
    service.at += timedelta(seconds=60)
    assert age.age_s(first, service, is_replay=True) == 0
    service.waited_s += 5
    assert age.age_s(first, service, is_replay=True) == 5
    second = LogEntry(2, service.at, Level.GOOD, "notice", "news")
    assert age.age_s(second, service, is_replay=True) == 0


def test_a_notice_of_before_this_terminal_is_as_old_as_it_says() -> None:
    service, age = FakeService(), NoticeAge()
    entry = LogEntry(1, service.at - timedelta(seconds=60), Level.GOOD, "notice", "news")
    assert age.age_s(entry, service, is_replay=False) == 60
    service.at += timedelta(seconds=5)
    assert age.age_s(entry, service, is_replay=False) == 65


def test_it_is_painted_in_the_width_there_is() -> None:
    shown = Shown()
    shown.line.show("Cancelled the order at 50 cents.")
    message = shown.line.current()
    assert message is not None
    assert message.until_s == 5
    (cell,) = message.paint(20)
    assert len(cell.text) <= 20
    assert cell.text.startswith(" Cancelled")


def told(service: FakeService, *entries: LogEntry, read_up_to: int = 0) -> None:
    service.log_view = LogView(entries, 0, read_up_to)


def test_what_became_of_an_order_stays_until_a_key_follows_that_could_have_seen_it() -> None:
    service, age = FakeService(), NoticeAge()
    assert age.pick(service, is_replay=False) is None
    fill = LogEntry(1, service.at, Level.GOOD, "order", "Bought 10 Yes")
    told(service, fill)
    assert age.pick(service, is_replay=False) == fill
    assert not age.note_key(service.monotonic())
    service.at += timedelta(seconds=600)
    service.waited_s += 600
    assert age.pick(service, is_replay=False) == fill
    assert age.note_key(service.monotonic())
    assert age.pick(service, is_replay=False) is None


def test_what_became_of_an_order_goes_when_the_log_is_read() -> None:
    service, age = FakeService(), NoticeAge()
    assert age.pick(service, is_replay=False) is None
    fill = LogEntry(1, service.at, Level.GOOD, "order", "Bought 10 Yes")
    told(service, fill)
    service.at += timedelta(seconds=600)
    service.waited_s += 600
    assert age.pick(service, is_replay=False) == fill
    told(service, fill, read_up_to=1)
    assert age.pick(service, is_replay=False) is None


def test_any_other_notice_goes_by_itself_and_a_fill_before_it_comes_back() -> None:
    service, age = FakeService(), NoticeAge()
    assert age.pick(service, is_replay=False) is None
    fill = LogEntry(1, service.at, Level.GOOD, "order", "Bought 10 Yes")
    tick = LogEntry(2, service.at, Level.WARNING, "notice", "Tick size is now 0.1¢")
    told(service, fill, tick)
    assert age.pick(service, is_replay=False) == tick
    service.at += timedelta(seconds=60)
    service.waited_s += 60
    assert age.pick(service, is_replay=False) == fill


def test_what_happened_before_this_terminal_stays_in_the_log() -> None:
    service, age = FakeService(), NoticeAge()
    told(service, LogEntry(1, service.at - timedelta(hours=1), Level.GOOD, "order", "Bought 10"))
    assert age.pick(service, is_replay=False) is None


def test_a_notice_until_read_ends_when_its_cause_ends() -> None:
    service = FakeService()
    age = NoticeAge()
    pause = LogEntry(
        1, service.at, Level.BAD, "notice", "1 stop paused", until_read=True, cause="paused stops"
    )
    service.log_view = LogView((pause,), 0, 0)
    service.at += timedelta(seconds=60)
    assert age.pick(service, is_replay=False) == pause
    resumed = LogEntry(2, service.at, Level.INFO, "order", "watching", cause="paused stops")
    service.log_view = LogView((pause, resumed), 0, 0)
    assert age.pick(service, is_replay=False) is None
    again = replace(pause, sequence=3)
    service.log_view = LogView((pause, resumed, again), 0, 0)
    assert age.pick(service, is_replay=False) == again
