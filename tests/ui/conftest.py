"""What the tests of several screens begin with.

Every test of the terminal waits for its app as long as that has something to do.
"""

import pytest


@pytest.fixture(params=["harbour", "ansi"])
def any_theme(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A theme of true colours on a terminal that wants none, and one of sixteen."""
    theme = str(request.param)
    monkeypatch.setenv("NO_COLOR", "1" if theme == "harbour" else "")
    return theme
