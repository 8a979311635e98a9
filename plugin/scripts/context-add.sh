#!/bin/sh
# The documents call `ultrawork context add` by this name.
exec "${0%/*}/../bin/ultrawork" context add "$@"
