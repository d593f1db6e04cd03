"""The trading screen: its layout, its panes, and the market model that they show.

Its keys are handled in `controls`.
"""
