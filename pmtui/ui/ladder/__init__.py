"""The price ladder: which rows are in view, how their lines look, and the widget that shows them.

The ladders beside the main one are the same rows with less to do.
"""
