"""The price ladder: the rows in view, their painting, and the widget that shows them.

The ladders beside the main one have the same rows and fewer functions.
"""
