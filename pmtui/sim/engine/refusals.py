"""The public venue's refusals of an order, verbatim (docs/wire.md#refusals and #amounts and #balances)."""

from decimal import Context, Decimal

from pmtui.domain.ids import Address, OrderId
from pmtui.domain.money import Micros, format_micros
from pmtui.sim.engine.terms import Refusal

NOT_FOUND = "Order not found or already canceled"
ALREADY_MATCHED = "order already matched"

INVALID_PAYLOAD = Refusal(400, "Invalid order payload")
INVALID_TOKEN = Refusal(400, "Invalid token id")
INVALID_PRICE = Refusal(400, "invalid price, price must be greater than 0 and less than 1")
INVALID_EXPIRATION = Refusal(400, "invalid expiration")
MARKET_NOT_READY = Refusal(400, "the market is not yet ready to process new orders")
POST_ONLY_CROSSES = Refusal(400, "invalid post-only order: order crosses book")
FOK_KILLED = Refusal(400, "order couldn't be fully filled. FOK orders are fully filled or killed.")
FAK_UNMATCHED = Refusal(
    400,
    "no orders found to match with FAK order. "
    "FAK orders are partially filled or killed if no match is found.",
)
NO_ALLOWANCE = Refusal(400, "not enough balance / allowance")
TRADING_DISABLED = Refusal(503, "Trading is currently disabled. Check polymarket.com for updates")
CANCEL_ONLY = Refusal(
    503,
    "Trading is currently cancel-only. New orders are not accepted, but cancels are allowed.",
)

_QUOTIENT = Context(prec=16)


def post_only_mode(retry_after_s: int) -> Refusal:
    """Return the refusal during the minutes after a restart."""
    return Refusal(
        503,
        "post-only mode: only post-only orders and cancels are allowed",
        code="post_only_mode",
        retry_after_s=retry_after_s,
    )


def banned(account: Address) -> Refusal:
    """Return the refusal for an account that may do nothing."""
    return Refusal(400, f"'{account}' address banned")


def closed_only(account: Address) -> Refusal:
    """Return the refusal for an account that may only reduce its positions."""
    return Refusal(400, f"'{account}' address in closed only mode")


def off_grid(order_id: OrderId, cash: Micros, shares: Micros, tick: Micros) -> Refusal:
    """Return the tick refusal; the price is printed as the quotient of the amounts."""
    quotient = _QUOTIENT.divide(Decimal(cash), Decimal(shares))
    price = f"{quotient:f}"
    if "." in price:
        price = price.rstrip("0").rstrip(".")
    return Refusal(
        400,
        f"order {order_id} is invalid. "
        f"Price ({price}) breaks minimum tick size rule: {format_micros(tick)}",
    )


def too_small(order_id: OrderId, size: Micros, minimum: Micros) -> Refusal:
    """Return the refusal of an order below the market's minimum size."""
    return Refusal(
        400,
        f"order {order_id} is invalid. "
        f"Size ({format_micros(size)}) lower than the minimum: {format_micros(minimum)}",
    )


def duplicated(order_id: OrderId) -> Refusal:
    """Return the refusal of an order whose hash is already known."""
    return Refusal(400, f"order {order_id} is invalid. Duplicated.")


def small_marketable_buy(amount: Micros) -> Refusal:
    """Return the refusal of a BUY that takes liquidity for less than a dollar."""
    return Refusal(
        400,
        f"invalid amount for a marketable BUY order (${format_micros(amount)}), min size: $1",
    )


def amounts_too_fine(*, is_buy: bool, is_market: bool, amount_decimals: int) -> Refusal:
    """Return the refusal of amounts with more decimals than the tick size allows."""
    if is_market:
        kind = "market buy" if is_buy else "sell"
        limits = f"2 decimals, taker amount a max of {amount_decimals} decimals"
    elif is_buy:
        kind = "buy"
        limits = f"{amount_decimals} decimals, taker amount a max of 2"
    else:
        kind = "sell"
        limits = f"2 decimals, taker amount a max of {amount_decimals}"
    return Refusal(
        400, f"invalid amounts, the {kind} orders maker amount supports a max accuracy of {limits}"
    )


def not_enough_balance(balance: Micros, *, active: Micros, needed: Micros) -> Refusal:
    """Return the long text about the balance; the ledger settles at once, so nothing is ever pending."""
    return Refusal(
        400,
        "not enough balance / allowance: the balance is not enough -> "
        f"balance: {balance}, sum of active orders: {active}, "
        f"sum of matched orders: 0, order amount (inc. fees): {needed}",
    )
