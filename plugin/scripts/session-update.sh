#!/bin/sh
# The documents call `ultrawork session set` by this name.
exec "${0%/*}/../bin/ultrawork" session set "$@"
