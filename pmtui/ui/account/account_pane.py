"""What the line under the cursor is, below the account's lines or beside them."""

from typing_extensions import override

from pmtui.ui.account.account_lines import AccountLine
from pmtui.ui.account.paint_account import paint_account_details
from pmtui.ui.cells import Line
from pmtui.ui.paint.facts import indent, to_ascii_line
from pmtui.ui.widgets.line_pane import LinePane


class AccountPane(LinePane):
    """One line in full."""

    _shown: AccountLine | None = None

    def show(self, line: AccountLine | None) -> None:
        """Show this one."""
        self._shown = line
        self.repaint()

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        if self._shown is None:
            return ()
        lines = paint_account_details(self._shown, max(1, width - 2), height)
        return tuple(indent(to_ascii_line(line) if self.ascii_only else line) for line in lines)
