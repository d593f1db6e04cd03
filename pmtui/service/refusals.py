"""Which ticket field a refusal of the venue is about, told by its words (WIRE_CLOB §6.5)."""

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
