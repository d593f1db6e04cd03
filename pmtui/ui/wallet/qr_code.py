"""An address as a QR code in half blocks, two modules in a cell, for a telephone to read."""

from pmtui.ui.cells import Cell, Line

QUIET_ZONE = 2
"""Modules of border. The standard asks for four; readers of screens are content with two."""
_HALVES = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}


def paint_qr_code(text: str, *, is_dark: bool) -> tuple[Line, ...]:
    """Draw a text as a QR code: 33 columns and 17 rows for an address.

    Args:
        text: what it says.
        is_dark: whether the theme writes light on dark. A reader expects dark modules on a light
            ground, so that what is drawn in the text's colour differs.
    """
    # It takes thirty milliseconds to import, and one screen needs it.
    import segno  # noqa: PLC0415

    # An address is not kanji or digits: bytes, with the correction that fits the size for nothing.
    code = segno.make_qr(text, error="l", boost_error=True)
    rows = [[bool(module) != is_dark for module in row] for row in code.matrix_iter(1, QUIET_ZONE)]
    if len(rows) % 2:
        rows.append([is_dark] * len(rows[0]))
    return tuple(
        (Cell("".join(_HALVES[pair] for pair in zip(upper, lower, strict=True))),)
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    )
