"""The market screen and its panes."""
