"""Notices outside the terminal: the bell, and the desktop of the trader's machine."""

from typing import Any

from textual.app import App

from pmtui.domain.notices import Bell, DesktopWay, NoticeBudget, to_plain_notice
from pmtui.service.surface import Subscription
from pmtui.service.topics import AlertTopic, LogTopic, Topic
from pmtui.service.views import Level
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.desktop_notice import DesktopNotices

_KINDS = ("notice", "order")


class OutsideNotices:
    """Watches the log and the alerts, whichever screen is shown."""

    def __init__(self, app: App[Any], surface: Surface) -> None:
        self._app = app
        self._surface = surface
        self._ways = surface.options.notices
        self._desktop = DesktopNotices(app, self._ways.desktop)
        self._budget = NoticeBudget()
        self._seen: int | None = None
        self._rung = 0
        self._subscription: Subscription | None = None

    def listen(self) -> None:
        """Send notices from now on; older log entries are not sent."""
        if self._subscription is None:
            self._seen = self._newest()
            topics = (AlertTopic(), LogTopic()) if self._needs_log else (AlertTopic(),)
            self._subscription = self._surface.subscriptions.subscribe(topics, self._on_topic)

    @property
    def _needs_log(self) -> bool:
        return self._ways.bell is Bell.ALL or self._ways.desktop is not DesktopWay.OFF

    def _on_topic(self, topic: Topic) -> None:
        self._app.call_next(self._ring if topic == AlertTopic() else self._show)

    def _newest(self) -> int:
        entries = self._surface.queries.log().entries
        return entries[-1].sequence if entries else 0

    def _ring(self) -> None:
        rung = self._surface.queries.alerts().fired
        # If every notice rings, the alert's own notice rings.
        if rung > self._rung and self._ways.bell is Bell.ALERTS:
            self._app.bell()
        self._rung = rung

    def _show(self) -> None:
        log = self._surface.queries.log()
        # A service that ran before this terminal has an older log, of which some entries were read.
        seen, self._seen = self._seen or log.read_up_to, self._newest()
        fresh = [
            entry
            for entry in log.entries
            if entry.sequence > seen and entry.kind in _KINDS and entry.level is not Level.INFO
        ]
        if fresh and self._ways.bell is Bell.ALL:
            self._app.bell()
        for entry in fresh:
            budget = self._budget.spend(self._surface.queries.monotonic())
            if budget is not None:
                self._budget = budget
                self._desktop.show(to_plain_notice(entry.text))
