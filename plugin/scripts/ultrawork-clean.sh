#!/bin/sh
# The documents call `ultrawork session clean` by this name.
exec "${0%/*}/../bin/ultrawork" session clean "$@"
