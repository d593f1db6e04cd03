"""One reading of each style sheet for all apps of a test run.

Every test of a screen starts an app of its own, and reading the same style sheets again was a fifth of
its time. Importing this keeps what was read, by text and variables, as Textual itself does within an app.
"""

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation

_Key = tuple[str, CSSLocation, bool, int, str, frozenset[tuple[str, str]]]

_read: dict[_Key, list[RuleSet]] = {}
_parse_rules = Stylesheet._parse_rules


def _parse_once(
    self: Stylesheet,
    css: str,
    read_from: CSSLocation,
    is_default_rules: bool = False,
    tie_breaker: int = 0,
    scope: str = "",
) -> list[RuleSet]:
    variables = frozenset(self._variables.items())
    key = (css, read_from, is_default_rules, tie_breaker, scope, variables)
    if key not in _read:
        _read[key] = _parse_rules(self, css, read_from, is_default_rules, tie_breaker, scope)
    return _read[key]


Stylesheet._parse_rules = _parse_once  # type: ignore[method-assign]
