#!/bin/sh
# The documents call `ultrawork task update` by this name.
exec "${0%/*}/../bin/ultrawork" task update "$@"
