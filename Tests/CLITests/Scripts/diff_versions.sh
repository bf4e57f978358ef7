# capsule diff FILE: two versions of one capsule.
. "$LIB"
mkdir box
for n in 1 2 3; do
    echo $n > box/n
    ok "$CAPSULE" pack -q box --append -o c.capsule --label "v$n"
done
last() { says out "^    -$1$" && says out "^    +$2$"; }
status 1 "$CAPSULE" diff c.capsule
last 2 3
status 1 "$CAPSULE" diff c.capsule@1..2
last 1 2
status 1 "$CAPSULE" diff c.capsule@v1..v3
last 1 3
status 1 "$CAPSULE" diff c.capsule@first..
last 1 3
status 1 "$CAPSULE" diff c.capsule@3..1
last 3 1
ok "$CAPSULE" diff c.capsule@~1..2
status 1 "$CAPSULE" diff --json c.capsule
says out '"c.capsule@~1"'
# The capsule is an input: no report takes its place.
status 64 "$CAPSULE" diff c.capsule --html c.capsule --force
status 64 "$CAPSULE" diff c.capsule@1..2 --html c.capsule --force
ok "$CAPSULE" verify -q c.capsule

# A file whose name looks like a range is what it is.
cp c.capsule 'd@1..2'
status 1 "$CAPSULE" diff 'd@1..2'
last 2 3

# What names one thing alone.
ok "$CAPSULE" pack -q box -o one.capsule
status 2 "$CAPSULE" diff one.capsule
status 2 "$CAPSULE" diff c.capsule@1..9
for argument in missing @1..2; do
    status 2 "$CAPSULE" diff $argument
    says err 'cannot open'
done
for argument in box box/n c.capsule@1; do
    status 64 "$CAPSULE" diff $argument
    says err "hint: 'capsule diff FILE.capsule' compares its last two versions, 'FILE.capsule@1..2' any two$"
done
