"""A call without arguments that Textual need not look into.

Textual counts the parameters of all it is to call, by inspecting the signature: for a partial call
anew each time, which costs more than most calls themselves.
"""

from collections.abc import Callable
from inspect import Signature
from typing import Any, ClassVar, final


@final
class QuickCall:
    """Calls something with arguments that are known already."""

    __slots__ = ("_args", "_callback")

    __signature__: ClassVar[Signature] = Signature()
    _param_count: ClassVar[int] = 0

    def __init__(self, callback: Callable[..., Any], *args: Any) -> None:
        """Take what is to be called, and with what."""
        self._callback = callback
        self._args = args

    def __call__(self) -> Any:
        """Call it; what it returns is awaited by Textual where it can be."""
        return self._callback(*self._args)
