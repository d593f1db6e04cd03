"""An event: its outcomes as a table and a chart, and its rules, comments and holders."""
