#!/bin/sh
# What a container runs. Docker restarts whatever fails, and cannot leave out an exit code: 3 means that another process has
# the partitions, and one that came back would take them from it again.
node "$@" &
child=$!
trap 'kill -TERM "$child"' TERM INT
wait "$child"
code=$?
# A signal ends the first `wait` early.
while kill -0 "$child" 2>/dev/null; do
  wait "$child"
  code=$?
done
[ "$code" -ne 3 ] || exit 0
exit "$code"
