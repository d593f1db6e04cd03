"""The sizes that single keys send, unless the trader names others."""

from pmtui.domain.money import SCALE, Micros

DEFAULT_PRESETS = tuple(Micros(shares * SCALE) for shares in (5, 10, 50, 100, 500))
"""In shares; the service's smallest order is 5 shares."""
