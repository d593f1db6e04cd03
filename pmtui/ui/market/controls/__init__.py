"""The controls behind the trading screen's keys: plain objects, each tested without a terminal.

Each reads one market model, sends commands, and answers on the message line.
"""
