"""What single keys send, unless the trader names something else."""

from pmtui.domain.money import SCALE, Micros

DEFAULT_PRESETS = tuple(Micros(shares * SCALE) for shares in (5, 10, 50, 100, 500))
"""In shares; the service's smallest order is 5 shares."""
DEFAULT_GIVE_WAY = 10
"""Percent of the best bid by which the worst price of selling a position may lie below it."""
