#!/bin/sh
# The documents call `ultrawork task list` by this name.
exec "${0%/*}/../bin/ultrawork" task list "$@"
