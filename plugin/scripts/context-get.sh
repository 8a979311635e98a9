#!/bin/sh
# The documents call `ultrawork context get` by this name.
exec "${0%/*}/../bin/ultrawork" context get "$@"
