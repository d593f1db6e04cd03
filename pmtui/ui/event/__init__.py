"""An event: its outcomes as a table, the chart of them all, and what there is to read of it."""
