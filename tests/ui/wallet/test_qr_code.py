from pmtui.ui.cells import Line
from pmtui.ui.wallet.receive import QUIET_ZONE, paint_qr_code
from tests.ui.onboarded import NEWER

_UPPER = {"█": True, "▀": True, "▄": False, " ": False}
_LOWER = {"█": True, "▀": False, "▄": True, " ": False}


def modules(lines: tuple[Line, ...]) -> list[list[bool]]:
    """Return which modules are drawn in the text's colour, without the border."""
    rows = []
    for line in lines:
        text = "".join(cell.text for cell in line)
        rows.append([_UPPER[letter] for letter in text])
        rows.append([_LOWER[letter] for letter in text])
    inner = slice(QUIET_ZONE, QUIET_ZONE + 29)
    return [row[inner] for row in rows[inner]]


def test_an_address_takes_33_columns_and_17_rows() -> None:
    lines = paint_qr_code(NEWER.address, is_dark=True)
    assert len(lines) == 17
    assert {len(line[0].text) for line in lines} == {33}


def test_the_three_corners_are_finder_patterns() -> None:
    code = modules(paint_qr_code(NEWER.address, is_dark=False))
    for top, left in ((0, 0), (0, 22), (22, 0)):
        for step in range(7):
            assert code[top][left + step]
            assert code[top + 6][left + step]
            assert code[top + step][left]
            assert code[top + step][left + 6]
        assert all(code[top + 3][left + step] for step in (2, 3, 4))
        assert not any(code[top + 1][left + step] for step in range(1, 6))


def test_on_a_dark_theme_the_light_modules_are_drawn() -> None:
    dark = modules(paint_qr_code(NEWER.address, is_dark=True))
    light = modules(paint_qr_code(NEWER.address, is_dark=False))
    assert dark == [[not module for module in row] for row in light]


def test_the_border_is_light() -> None:
    dark, light = (paint_qr_code(NEWER.address, is_dark=each) for each in (True, False))
    assert dark[0][0].text == "█" * 33
    assert light[0][0].text == " " * 33
