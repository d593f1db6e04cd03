"""Whether a widget may be shown anything: what comes late must not reach into what is half gone."""

from textual.widget import Widget


def is_live(widget: Widget) -> bool:
    """Whether a widget has all its parts: it was mounted, and is not being taken away.

    Textual's `is_mounted` stays true for ever, and a widget's parts go before it is told that
    it goes. A change of the service, or an answer that was waited for, may come in between.
    """
    return widget.is_mounted and widget.is_running
