"""The words of this trade, from the help."""

from typing import ClassVar

from typing_extensions import override

from pmtui.ui.cells import Cell, Column, Emphasis, Row
from pmtui.ui.explore.paint_reading import wrap_text
from pmtui.ui.explore.reading import ReadingScreen
from pmtui.ui.keys.action import Context
from pmtui.ui.keys.glossary import GLOSSARY
from pmtui.ui.theme.theme import Role

WORD_WIDTH = 18


class GlossaryScreen(ReadingScreen):
    """What the words mean."""

    ABOUT: ClassVar[str] = "What the words mean."
    CONTEXTS: ClassVar[tuple[Context, ...]] = ()
    columns: ClassVar[tuple[Column, ...]] = (
        Column("word", "", WORD_WIDTH),
        Column("meaning", "", 10, grow=1),
    )

    @override
    def heading_words(self) -> tuple[str, str]:
        return "Glossary", f"{len(GLOSSARY)} terms"

    @override
    def rows(self, width: int) -> tuple[Row, ...]:
        found = []
        for term in GLOSSARY:
            for number, line in enumerate(wrap_text(term.meaning, width - WORD_WIDTH - 2)):
                word = Cell("" if number else term.word, Role.KEY, Emphasis.BOLD)
                found.append(Row(f"{term.word}.{number}", (word, Cell(line))))
        return tuple(found)
