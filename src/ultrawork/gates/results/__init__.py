"""Which tests a run of a gate ran, read from what its runner wrote."""

from .reading import environment, guess, read, refused

__all__ = ["environment", "guess", "read", "refused"]
