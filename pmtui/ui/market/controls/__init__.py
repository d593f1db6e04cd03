"""What the keys of the trading screen do: plain objects, each tested without a terminal.

Each reads one picture of the market, gives commands, and answers on the message line.
"""
