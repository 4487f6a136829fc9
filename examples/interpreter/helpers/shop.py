"""What programs can import as shop."""

from decimal import Decimal

VAT = Decimal("0.20")


def total(prices):
    """The sum of net prices, with VAT, in cents."""
    net = sum(Decimal(str(price)) for price in prices)
    return int((net * (1 + VAT) * 100).quantize(Decimal(1)))
