"""One order for all outcomes of an event: a form that prices the legs, a card, and the results."""
