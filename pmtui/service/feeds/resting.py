"""What can be said of own resting orders beyond the orders themselves."""

from typing import NamedTuple

from pmtui.service.feeds.queue import QueueFeed
from pmtui.service.feeds.scoring import ScoringFeed


class Resting(NamedTuple):
    """Their place in line, and whether they earn."""

    queue: QueueFeed
    scoring: ScoringFeed
