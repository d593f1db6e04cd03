"""Which ticket field a refusal of the venue is about, told by its words (docs/wire.md#refusals)."""

_FIELDS = (
    ("minimum tick size", "price"),
    ("invalid price", "price"),
    ("lower than the minimum", "size"),
    ("min size: $", "size"),
    ("invalid amounts", "size"),
    ("not enough balance", "size"),
    ("post-only", "post_only"),
    ("expiration", "expiry"),
    ("fok orders", "time_in_force"),
    ("fak order", "time_in_force"),
)


def field_of_refusal(text: str) -> str | None:
    """Return the field to show a refusal beside; None where it is about none in particular."""
    lowered = text.lower()
    return next((field for words, field in _FIELDS if words in lowered), None)


_CLOSED = ("trading is currently disabled", "trading is currently cancel-only", "post-only mode:")


_UNSETTLED = ("could not insert order", "order timed out", "order match delayed")


def is_inconclusive_refusal(text: str) -> bool:
    """Whether the venue says itself that it does not know, or that the order may match later.

    It answers 400 where its own work was given up half-way, with the words "context canceled".
    """
    lowered = text.lower()
    return lowered.startswith(_UNSETTLED) or "context canceled" in lowered


def is_duplicate_refusal(text: str) -> bool:
    """Whether the venue refuses an order because it has met the very same one before."""
    return "is invalid. duplicated" in text.lower()


def is_refusal_of_a_closed_venue(text: str) -> bool:
    """Whether a 503 is the venue's own word that it takes no such order now, so none was taken."""
    return text.lower().startswith(_CLOSED)
