"""The moving picture: each row is drawn once for each look of it, and shown while it stands."""

import re
from xml.etree import ElementTree as ET

from tests.scenes.animation import Frame, Row, Run, animate

SVG = "{http://www.w3.org/2000/svg}"


def row(text: str, *, ground: str = "0f141b") -> Row:
    return (Run(0, text, "default", ground, False),)


def groups(svg: str) -> dict[str, tuple[str, str]]:
    """Return when each text is seen: the times at which that changes, and to what."""
    found = {}
    for group in ET.fromstring(svg).iter(f"{SVG}g"):
        animated = group.find(f"{SVG}animate")
        text = "".join(group.itertext())
        found[text] = (
            ("", "")
            if animated is None
            else (animated.get("keyTimes", ""), animated.get("values", ""))
        )
    return found


def test_a_row_is_seen_exactly_while_it_stands() -> None:
    frames = [
        Frame(0, (row("head"), row("one"))),
        Frame(1, (row("head"), row("two"))),
        Frame(3, (row("head"), row("one"))),
    ]
    assert groups(animate(frames, 10, length_s=4)) == {
        "head": ("", ""),
        "one": ("0.0000;0.2500;0.7500", "visible;hidden;visible"),
        "two": ("0.0000;0.2500;0.7500", "hidden;visible;hidden"),
    }


def test_hostile_text_stays_text() -> None:
    svg = animate([Frame(0, (row("<script>&\"'</script>"),))], 30, length_s=1)
    assert list(groups(svg)) == ["<script>&\"'</script>"]


def test_only_cells_that_differ_from_the_page_get_a_ground() -> None:
    cells = (Run(0, "plain", "default", "111111", False), Run(5, "x", "ff0000", "222222", True))
    svg = animate([Frame(0, (cells,))], 10, length_s=1)
    assert len(re.findall("<rect", svg)) == 2
