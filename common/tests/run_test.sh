#!/bin/sh
# run_test.sh FILE... -- COMMAND...: runs a test, or marks it as skipped if one of the files was not built.
for file; do
    shift
    [ "$file" != -- ] || exec "$@"
    if [ ! -e "$file" ]; then
        echo "skipped: $file was not built"
        exit 1
    fi
done
echo "run_test.sh: no command" >&2
exit 2
# SPDX-License-Identifier: MIT
