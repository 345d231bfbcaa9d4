"""What a customer means to buy."""

import json
from decimal import Decimal

from .store import Store, open_store as connect

LIMIT = 10
RATES = {
    "EUR": Decimal("1"),
    "USD": Decimal("1.08"),
    "CHF": Decimal("0.94"),
    "GBP": Decimal("0.85"),
}


class CartError(ValueError):
    """Something that a cart cannot hold."""


class Cart(dict):
    """Names of goods with their prices.

    A cart is empty at first and holds at most `LIMIT` goods.
    """

    currency: str = "EUR"

    def __init__(self, store: Store):
        super().__init__()
        self.store = store
        self.closed = False

    @property
    def total(self) -> Decimal:
        """The sum of all prices in the cart's currency."""
        rate = RATES[self.currency]
        return sum((Decimal(price) * rate for price in self.values()), Decimal(0))

    def add(
        self,
        name: str,
        price: str,
        *,
        replace: bool = False,
    ) -> None:
        """Puts a good into the cart."""
        if self.closed:
            raise CartError("the cart is closed")
        if len(self) >= LIMIT and name not in self:
            raise CartError("the cart is full")
        if name in self and not replace:
            raise CartError(f"{name} is there already")
        self[name] = price

    def save(self) -> None:
        def encode(value):
            return json.dumps(value, sort_keys=True)

        connect(self.store).write(encode(dict(self)))

    def close(self) -> Decimal:
        """Ends the shopping and says what it costs."""
        self.closed = True
        self.save()
        return self.total


def load_cart(store: Store) -> Cart:
    """The cart that was saved last, or an empty one."""
    cart = Cart(store)
    text = connect(store).read()
    if text:
        for name, price in json.loads(text).items():
            cart.add(name, price)
    return cart
