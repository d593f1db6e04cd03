"""The part of the write side that is about conditional orders."""

from pmtui.domain.conditionals.conditional import ConditionalId, ConditionalPlan, Trigger
from pmtui.domain.money import Micros
from pmtui.service.conditionals.conditionals import Conditionals


class ServiceConditionalCommands:
    """Passes each wish to what watches over them."""

    def __init__(self, conditionals: Conditionals) -> None:
        self._conditionals = conditionals

    def protect(self, plan: ConditionalPlan) -> str:
        """Watch over a plan from now on; returns why not."""
        return self._conditionals.add(plan)

    def start_conditional(self, conditional_id: ConditionalId) -> str:
        """Start a paused one again; returns why not."""
        return self._conditionals.start(conditional_id)

    def move_conditional(
        self, conditional_id: ConditionalId, trigger: Trigger, price: Micros
    ) -> str:
        """Let one fire at another price; returns why not."""
        return self._conditionals.move(conditional_id, trigger, price)

    def pause_conditional(self, conditional_id: ConditionalId) -> None:
        """Let one do nothing until it is started again."""
        self._conditionals.pause(conditional_id, "by you")

    def cancel_conditional(
        self, conditional_id: ConditionalId, trigger: Trigger | None = None
    ) -> None:
        """End one for good, or of a pair one of its two prices."""
        self._conditionals.cancel(conditional_id, trigger)
