#!/bin/sh
# The documents call `ultrawork task get` by this name.
exec "${0%/*}/../bin/ultrawork" task get "$@"
