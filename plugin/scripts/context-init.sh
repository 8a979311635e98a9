#!/bin/sh
# The documents call `ultrawork context init` by this name.
exec "${0%/*}/../bin/ultrawork" context init "$@"
