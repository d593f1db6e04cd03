import statistics
import time

from typing_extensions import override

from pmtui.ui.cells import Cell
from pmtui.ui.paint_now import PaintNow
from pmtui.ui.widgets.text_line import TextLine
from tests.ui.pty_child import PtyChild
from tests.ui.stage import Stage
from tests.ui.wait import settle


def test_a_key_is_answered_before_the_next_frame() -> None:
    # At one frame a second the timer cannot be what paints the answer.
    with PtyChild("tests.ui.key_app", "ours", "feed", env={"TEXTUAL_FPS": "1"}) as child:
        child.until(lambda: "tick" in child.row(1), "the feed", timeout_s=20)
        delays = []
        for number in range(1, 8):
            started = time.monotonic()
            child.send(b"x")
            child.until(lambda: f"{number}:x." in child.row(0), "the answer")  # noqa: B023 - used at once
            delays.append(time.monotonic() - started)
        assert statistics.median(delays) < 0.25


class _App(PaintNow, Stage):
    paints = 0

    @override
    def post_display_hook(self) -> None:
        self.paints += 1


async def test_a_feed_can_paint_its_widget_at_once() -> None:
    line = TextLine((Cell("old"),))
    app = _App(line)
    app.paint_now()
    async with app.run_test() as pilot:
        await settle(pilot)
        paints = app.paints
        app.paint_now()
        assert app.paints == paints
        line.show((Cell("new"),))
        app.paint_now(line)
        assert app.paints == paints + 1
