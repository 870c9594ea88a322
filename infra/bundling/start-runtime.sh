#!/bin/sh
# Starts Lambda's runtime without --expose-gc, with which V8 refuses Node's own code cache: docs/performance.md.
for argument; do
  shift
  [ "$argument" = --expose-gc ] || set -- "$@" "$argument"
done
exec "$@"
