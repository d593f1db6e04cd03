"""Distinct types for the venue's identifiers, so that they cannot be mixed up."""

from typing import NewType

EventId = NewType("EventId", str)
"""Decimal digits; the metadata host's id of an event."""
MarketId = NewType("MarketId", str)
"""Decimal digits; the metadata host's id of a market."""
ConditionId = NewType("ConditionId", str)
"""0x and 64 lower-case hex digits; names a market on chain and on the trading host."""
TokenId = NewType("TokenId", str)
"""Decimal uint256; names one outcome of a market. Other spellings: asset id, clob token id."""
OrderId = NewType("OrderId", str)
"""0x and 64 lower-case hex digits; the EIP-712 digest of the order, known before sending."""
TradeId = NewType("TradeId", str)
"""UUID of a trade on the trading host."""
ApiKey = NewType("ApiKey", str)
"""UUID that owns orders on the trading host."""
Address = NewType("Address", str)
"""Checksummed 0x address of 20 bytes."""
TagId = NewType("TagId", str)
SeriesId = NewType("SeriesId", str)
CommandId = NewType("CommandId", str)
"""Id of one command of the trader, unique within this process."""
