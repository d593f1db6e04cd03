"""Simulated traders, who keep the venue's books moving the way recorded books move."""

from pmtui.sim.traders.traders import Traders

__all__ = ["Traders"]
