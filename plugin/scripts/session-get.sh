#!/bin/sh
# The documents call `ultrawork session get` by this name.
exec "${0%/*}/../bin/ultrawork" session get "$@"
