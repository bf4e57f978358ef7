# Samples/maestro: flows one by one, each with the same data, on simulators that this makes; maestro is a replacement.
. "$LIB"
. "$TOOLS/project_samples.sh"
cat > bin/maestro << 'SH'
#!/bin/sh
case $1 in --device=*) device=${1#--device=} && shift ;; *) device=$booted ;; esac
[ "$1" = test ] && [ $# = 2 ] || exit 64
exec ./a_test "$2" "$device"
SH
chmod +x bin/maestro
booted=$first
export booted
run=$SAMPLES/maestro/run-flows.sh
ok env SIMULATOR_UDID="$first" "$run" a.yaml 'b c.yaml'
wants 'a.yaml: clean' 'b c.yaml: clean'
# Another simulator has its own container.
ok env SIMULATOR_UDID="$second" "$run" a.yaml
wants 'a.yaml: clean'
# A flow that fails does not keep the others from being run, or from having their data.
status 65 env SIMULATOR_UDID="$first" "$run" Failing b.yaml
wants 'Failing: clean' 'b.yaml: clean'
# Without data no flow runs. With two simulators one has to be chosen.
status 2 env SIMULATOR_UDID="$first" CAPSULE_VERSION=@dirty "$run" a.yaml b.yaml
says err "capsule: error: .*dirty"
absent tests
status 2 "$run" a.yaml
says err 'has 2 data containers'
absent tests
status 64 "$run"
# With one it need not be.
rm -r "home/Library/Developer/CoreSimulator/Devices/$second"
ok "$run" a.yaml
wants 'a.yaml: clean'
