"""Where to send collateral: the wallet's full address, to copy or to scan."""

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.account.onboarding import Onboarding, WalletForm
from pmtui.service.topics import OnboardingTopic, Topic
from pmtui.service.views import Mode
from pmtui.ui.cells import Cell, Emphasis, Line, line_width
from pmtui.ui.facts import indent, key_of
from pmtui.ui.frame import CursorItem, FrameScreen
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.plain import plain
from pmtui.ui.terminal.ascii_filter import is_ascii
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_ticket import paint_text
from pmtui.ui.widgets.line_pane import LinePane

_ADDRESS = 42
_QR_WIDTH = 33
_QR_HEIGHT = 17
_GAP = 2
_WIDEST = 64
"""Longer lines are hard to read."""


def paint_receive(
    facts: Onboarding, width: int, height: int, *,
    mode: Mode, keymap: Keymap, is_dark: bool, can_draw: bool = True,
) -> tuple[Line, ...]:  # fmt: skip
    """Paint the address with its QR code beside it or below it, or without it if it does not fit.

    Args:
        facts: the account.
        width: the cells available.
        height: the lines available.
        mode: whether this is real money.
        keymap: for the key that copies.
        is_dark: whether the theme is light on dark.
        can_draw: whether the terminal can show a QR code.
    """
    wallet = facts.wallet
    if wallet is None:
        text = facts.key_problem or "Which wallet pays is not known yet: the relayer is asked."
        return paint_text(plain(text), width, Role.NOTICE_WARN)
    code = paint_qr_code(wallet.address, is_dark=is_dark) if can_draw else ()
    is_beside = width >= _QR_WIDTH + _GAP + _ADDRESS
    if code and is_beside and height >= _QR_HEIGHT:
        words = _words(facts, width - _QR_WIDTH - _GAP, mode=mode, keymap=keymap)
        return _side_by_side(code, words)
    words = _words(facts, width, mode=mode, keymap=keymap)
    if code and len(words) + 1 + _QR_HEIGHT <= height and width >= _QR_WIDTH:
        return (*words, (Cell(""),), *code)
    return words


def _words(facts: Onboarding, width: int, *, mode: Mode, keymap: Keymap) -> tuple[Line, ...]:
    wallet = facts.wallet
    assert wallet is not None
    width = min(width, _WIDEST)
    lines: list[Line] = [(Cell("Your wallet's address", Role.HEADING, Emphasis.BOLD),)]
    lines += paint_text(wallet.address, width, Role.KEY, Emphasis.BOLD)
    lines.append((Cell(f"{key_of(keymap, 'global.copy')} copies it", Role.DIM),))
    lines.append((Cell(""),))
    for text, role in _advice(facts, mode):
        lines += paint_text(text, width, role)
    return tuple(lines)


def _advice(facts: Onboarding, mode: Mode) -> list[tuple[str, Role]]:
    wallet = facts.wallet
    if mode is Mode.PAPER:
        return [
            ("Paper: only the local venue knows this address. Never send real money to it.",
             Role.NOTICE_WARN),
        ]  # fmt: skip
    advice = [
        ("Send pUSD on Polygon, and nothing else. Other tokens and other chains may be lost.",
         Role.NOTICE_WARN),
        ("Compare the first and the last digits after you have pasted it.", Role.DIM),
    ]  # fmt: skip
    is_missing = facts.code.value is False and not facts.deployed_answer.value
    if wallet is not None and wallet.form is not WalletForm.EOA and is_missing:
        text = "The wallet is not deployed yet. The address is final, and what is sent is kept."
        advice.append((text, Role.NOTICE_WARN))
    return advice


def _side_by_side(code: tuple[Line, ...], words: tuple[Line, ...]) -> tuple[Line, ...]:
    lines: list[Line] = []
    for number in range(max(len(code), len(words))):
        left = code[number] if number < len(code) else ()
        right = words[number] if number < len(words) else ()
        gap = Cell(" " * (_QR_WIDTH + _GAP - line_width(left)))
        lines.append((*left, gap, *right))
    return tuple(lines)


class ReceivePane(LinePane):
    """The address and its QR code."""

    def show(self, facts: Onboarding, mode: Mode, keymap: Keymap) -> None:
        """Show the address of this account."""
        self._facts, self._mode, self._keymap = facts, mode, keymap
        self.repaint()

    _facts: Onboarding | None = None
    _mode = Mode.PAPER
    _keymap: Keymap

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        if self._facts is None:
            return ()
        lines = paint_receive(
            self._facts, max(1, width - 2), height, mode=self._mode, keymap=self._keymap,
            is_dark=self.app.current_theme.dark, can_draw=not is_ascii(self),
        )  # fmt: skip
        return tuple(indent(line) for line in lines)


class ReceiveScreen(FrameScreen):
    """The address that receives collateral."""

    ABOUT: ClassVar[str] = "The address of your wallet, in full and as a QR code."

    DEFAULT_CSS = """
    ReceiveScreen ReceivePane { height: 1fr; }
    """

    pane = query_one("#receive", ReceivePane)

    @override
    def topics(self) -> Iterable[Topic]:
        return (OnboardingTopic(),)

    @override
    def compose_body(self) -> ComposeResult:
        yield ReceivePane(id="receive")

    @override
    def on_mount(self) -> None:
        # Textual also calls FrameScreen.on_mount.
        self._show_address()

    @override
    def show_topic(self, topic: Topic) -> None:
        self._show_address()

    @override
    def cursor_item(self) -> CursorItem:
        wallet = self.surface.queries.onboarding().wallet
        return CursorItem() if wallet is None else CursorItem(copied=("address", wallet.address))

    def _show_address(self) -> None:
        queries = self.surface.queries
        mode, keymap = queries.status().mode, self.surface.options.keymap
        self.pane.show(queries.onboarding(), mode, keymap)


QUIET_ZONE = 2
"""Modules of border. The standard asks for four; readers of screens accept two."""
_HALVES = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}


def paint_qr_code(text: str, *, is_dark: bool) -> tuple[Line, ...]:
    """Draw a text as a QR code: 33 columns and 17 rows for an address.

    Args:
        text: the text to encode.
        is_dark: whether the theme is light on dark. A reader expects dark modules on a light
            ground, so that the drawn modules differ.
    """
    # The import takes thirty milliseconds, and one screen needs it.
    import segno  # noqa: PLC0415

    # An address is neither kanji nor digits: bytes, with the best correction of the same size.
    code = segno.make_qr(text, error="l", boost_error=True)
    rows = [[bool(module) != is_dark for module in row] for row in code.matrix_iter(1, QUIET_ZONE)]
    if len(rows) % 2:
        rows.append([is_dark] * len(rows[0]))
    return tuple(
        (Cell("".join(_HALVES[pair] for pair in zip(upper, lower, strict=True))),)
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    )
