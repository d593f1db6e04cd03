import copy
import pickle
import traceback
from collections.abc import Callable

import pytest

from pmtui.signing.secret import Secret, SecretError

HIDDEN = "correct horse battery staple"


@pytest.mark.parametrize(
    "leak",
    [str, format, "{}".format, "%s".__mod__, copy.copy, copy.deepcopy, pickle.dumps],
    ids=["str", "format", "str.format", "percent", "copy", "deepcopy", "pickle"],
)
def test_a_secret_refuses_to_leave(leak: Callable[[object], object]) -> None:
    with pytest.raises(SecretError) as caught:
        leak(Secret.from_text(HIDDEN))
    assert HIDDEN not in "".join(traceback.format_exception(caught.value))


def test_a_secret_shows_a_placeholder_to_debuggers() -> None:
    secret = Secret.from_text(HIDDEN)
    assert repr(secret) == "<secret>"
    assert repr([secret]) == "[<secret>]"
    assert not hasattr(secret, "__dict__")
    with pytest.raises(SecretError):
        secret.__getstate__()


def test_a_secret_gives_its_value_when_asked_by_name() -> None:
    assert Secret.from_text(HIDDEN).reveal_text() == HIDDEN
    assert Secret(b"\x00\xff").reveal() == b"\x00\xff"
    assert Secret.from_hex(" 0x00ff\n").reveal() == b"\x00\xff"


def test_bad_hexadecimal_is_not_repeated_in_the_error() -> None:
    with pytest.raises(ValueError, match="not hexadecimal") as caught:
        Secret.from_hex("0xabcdefzz")
    assert "abcdef" not in str(caught.value)
    assert _shown_by_our_frames(caught.value) == ""


def _shown_by_our_frames(error: BaseException) -> str:
    """What a traceback with locals tells of the value, besides the frame that still holds it."""
    report = traceback.TracebackException.from_exception(error, capture_locals=True)
    assert report.__cause__ is None
    assert report.__context__ is None
    inner = [frame.locals or {} for frame in report.stack if "signing/secret" in frame.filename]
    assert inner
    return "".join(value for frame in inner for value in frame.values() if "abcdef" in value)


def test_secrets_compare_by_value_and_cannot_be_hashed() -> None:
    assert Secret(b"a") == Secret(b"a")
    assert Secret(b"a") != Secret(b"b")
    assert Secret(b"a") != b"a"
    with pytest.raises(TypeError, match="unhashable"):
        {Secret(b"a")}
