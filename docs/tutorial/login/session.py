"""Sessions of people who logged in."""

import time


def check(token, now=None):
    """The status of a request with this token."""
    if not token:
        return 401
    return 200 if token["expires"] > (now or time.time()) / 1000 else 401


def total(prices):
    return sum(prices)
