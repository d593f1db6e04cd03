"""The price ladder: its rows, columns and colours."""
