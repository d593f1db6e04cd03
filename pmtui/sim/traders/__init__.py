"""Simulated traders, who move the venue's books in the way recorded books move."""

from pmtui.sim.traders.traders import Traders

__all__ = ["Traders"]
