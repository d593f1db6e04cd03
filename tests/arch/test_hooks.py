"""What a widget leaves to those built on it is abstract, and none that is shown leaves it open.

Textual's classes have a metaclass of their own, so that Python itself does not look: the type
checker does, and this does at run time.
"""

import importlib
import pkgutil
from collections.abc import Iterator

import pmtui.ui
from pmtui.ui.ticket.confirm import CardScreen
from pmtui.ui.widgets.line_pane import ScrollingPane


def _classes() -> Iterator[type]:
    for found in pkgutil.walk_packages(pmtui.ui.__path__, "pmtui.ui."):
        module = importlib.import_module(found.name)
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == found.name:
                yield value


def _open_hooks(of: type) -> list[str]:
    names = dir(of)
    return [n for n in names if getattr(getattr(of, n, None), "__isabstractmethod__", False)]


def test_whatever_has_nothing_built_on_it_leaves_nothing_open() -> None:
    leaves = [each for each in _classes() if not each.__subclasses__()]
    assert len(leaves) > 50
    assert {each.__name__: hooks for each in leaves if (hooks := _open_hooks(each))} == {}


def test_hooks_are_seen() -> None:
    assert _open_hooks(CardScreen) == ["card_lines"]
    assert _open_hooks(ScrollingPane) == ["scroll_rows"]
