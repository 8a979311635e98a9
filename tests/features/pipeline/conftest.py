"""Pipelines in a client: see `support.play`."""

from hooks.planned.conftest import play

__all__ = ["play"]
