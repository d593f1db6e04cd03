"""The trading screen: its layout, its panes, and the picture of a market that they show.

What its keys do is in `controls`.
"""
