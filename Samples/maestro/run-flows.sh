#!/bin/sh
# Run Maestro flows one by one on a simulator, each with the same data in the app's container.
#
# usage: run-flows.sh FLOW...      exits with the highest status of a restore or a flow
set -eu
[ $# -ge 1 ] || { echo "usage: $0 FLOW..." >&2; exit 64; }

# Change this, or set it in the environment.
# The version in the project's capsule.
: "${CAPSULE_VERSION:=@clean}"

worst=0
for flow in "$@"; do
    status=0
    # SIMULATOR_UDID chooses the simulator for both, if there are several.
    { capsule restore -q "$CAPSULE_VERSION" && maestro ${SIMULATOR_UDID:+--device="$SIMULATOR_UDID"} test "$flow"; } || status=$?
    [ "$status" -le "$worst" ] || worst=$status
done
exit "$worst"
