#!/bin/sh
# The documents call `ultrawork task create` by this name.
exec "${0%/*}/../bin/ultrawork" task create "$@"
