#!/bin/sh
# The documents call `ultrawork session new` by this name.
exec "${0%/*}/../bin/ultrawork" session new "$@"
