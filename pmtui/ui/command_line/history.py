"""The commands typed in this session, walked with the arrow keys."""

MOST = 100


class CommandHistory:
    """Remembers commands, each once, the newest last."""

    def __init__(self) -> None:
        """Begin empty."""
        self._typed: list[str] = []

    def keep(self, text: str) -> None:
        """Remember a command that was given."""
        text = text.strip()
        if text:
            self._typed = [*(each for each in self._typed if each != text), text][-MOST:]

    def begin(self, text: str) -> "Walk":
        """Start to walk from what is typed now."""
        return Walk((*self._typed, text))


class Walk:
    """A walk through the history of one open line; what was typed stands at its end."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        """Start at the end."""
        self.texts = texts
        self._at = len(texts) - 1

    def older(self) -> str:
        """Return the command before, or the oldest."""
        self._at = max(self._at - 1, 0)
        return self.texts[self._at]

    def newer(self) -> str:
        """Return the command after, or what was typed."""
        self._at = min(self._at + 1, len(self.texts) - 1)
        return self.texts[self._at]
