"""The accepted pictures are what the program paints, on every supported interpreter."""

import re
from pathlib import Path

import pytest

from tests.scenes.__main__ import FOLDER, SESSION, draw, main, picture_of
from tests.scenes.picture import (
    BRAILLE_FONTS,
    canonical,
    first_difference,
    in_256_colours,
    text_rows,
)
from tests.scenes.scenes import (
    ROWS,
    SCENES,
    SCREENS,
    SIZES,
    SMALL,
    THEMES,
    Scene,
    paint,
    picture,
    playing,
)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
async def test_a_scene_looks_as_accepted(scene: Scene) -> None:
    old, new = picture_of(scene).read_text(encoding="utf-8"), await paint(scene)
    assert first_difference(old, new) == ""
    assert old == new, "the text is the same, the looks are not; `make shots` writes the new one"


def test_every_screen_has_a_picture_or_rows_that_are_asserted() -> None:
    pictured = {scene.screen for scene in SCENES}
    assert pictured | ROWS.keys() == SCREENS.keys()
    assert not pictured & ROWS.keys()


@pytest.mark.parametrize("screen", ROWS)
async def test_a_screen_without_a_picture_shows_its_rows(screen: str) -> None:
    async with playing(Scene(screen)) as pilot:
        rows = text_rows(picture(pilot, Scene(screen)))
    assert [text for text in ROWS[screen] if not any(text in row for row in rows)] == []


def test_every_picture_belongs_to_a_scene() -> None:
    still = {path.stem for path in FOLDER.glob("*.svg") if path != SESSION}
    assert still == {scene.name for scene in SCENES}


def test_the_moving_picture_asks_nothing_of_the_network() -> None:
    picture = SESSION.read_text(encoding="utf-8")
    assert "<animate" in picture
    assert "@font-face" not in picture
    assert "url(http" not in picture


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_picture_asks_nothing_of_the_network(scene: Scene) -> None:
    picture = picture_of(scene).read_text(encoding="utf-8")
    assert "@font-face" not in picture
    assert "url(http" not in picture


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_picture_has_a_row_for_every_line_of_the_screen(scene: Scene) -> None:
    rows = text_rows(picture_of(scene).read_text(encoding="utf-8"))
    columns, lines = scene.size
    assert len(rows) <= lines
    assert max(len(row) for row in rows) <= columns
    assert re.match(r" PAPER  ( ARMED \d+ · \d:\d\d  )?cash \$", rows[0])


def test_a_picture_in_256_colours_has_no_others() -> None:
    assert in_256_colours('fill="#ff0001" class="a-1"') == 'fill="#ff0000" class="a-1"'
    assert in_256_colours(in_256_colours("#10151c")) == in_256_colours("#10151c")


def test_a_difference_names_its_row_and_both_texts() -> None:
    line = '<text class="x-r1" x="{x}" y="{y}" clip-path="url(#a)">{text}</text>'
    old = line.format(x=0, y=20, text="same") + line.format(x=12.2, y=44.4, text="bid&#160;51")
    new = old.replace("51", "52")
    assert first_difference(old, old) == ""
    assert first_difference(old, new) == "row 1\n  was  bid 51\n  is   bid 52"


def test_a_picture_is_named_after_its_scene_not_its_content() -> None:
    svg = "<style>@font-face { src: url(https://fonts.invalid) }</style>\n.terminal-123-r1  "
    assert canonical(svg, "market 80x24") == "<style></style>\n.market-80x24-r1\n"


def test_the_first_font_of_a_picture_is_one_that_a_machine_has() -> None:
    svg = ".terminal-123-matrix { font-family: Fira Code, monospace; }"
    assert "font-family: 'DejaVu Sans Mono'," in canonical(svg, "market")


def test_braille_is_drawn_in_a_font_that_has_it_and_still_read() -> None:
    line = '<text class="x-r1" x="0" y="{y}" textLength="24.4" clip-path="url(#a)">{text}</text>'
    svg = line.format(y=20, text="bid") + line.format(y=44.4, text="\u2847\u2800")
    drawn = canonical(svg, "market")
    assert drawn.count(BRAILLE_FONTS) == 1
    assert text_rows(drawn) == ["bid", "\u2847\u2800"]


def test_an_unknown_scene_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "nothing"]) == 2
    assert "usage:" in capsys.readouterr().out


def test_a_screen_is_drawn_at_every_size_and_in_every_theme(tmp_path: Path) -> None:
    assert main(["draw", str(tmp_path), "log"]) == 0
    drawn = {path.stem: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert len(drawn) == len(SIZES) * (len(THEMES) + len(("256", "ascii")))
    assert len(set(drawn.values())) == len(drawn)
    assert all("".join(text_rows(drawn[name])).isascii() for name in drawn if "ascii" in name)


async def test_what_is_drawn_in_a_theme_is_what_the_program_paints_in_it(tmp_path: Path) -> None:
    scene = Scene("palette", SMALL, "daylight")
    await draw(tmp_path, ["palette"], sizes=(SMALL,), themes=("harbour", scene.theme))
    drawn = (tmp_path / f"{scene.name}.svg").read_text(encoding="utf-8")
    assert drawn == await paint(scene)


@pytest.mark.slow
@pytest.mark.parametrize("screen", SCREENS)
async def test_every_screen_is_reached_on_a_small_terminal(screen: str) -> None:
    async with playing(Scene(screen, SMALL)) as pilot:
        rows = text_rows(picture(pilot, Scene(screen, SMALL)))
    assert len(rows) <= SMALL[1]
