"""The deposit wallet: its approvals and holdings, its steps with their cards, and its transactions."""
