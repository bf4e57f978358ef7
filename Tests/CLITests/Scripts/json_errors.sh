# --json: an error is the last line of standard output, and a message for people on standard error.
. "$LIB"
need python3
mkdir a
echo x > a/x
ok "$CAPSULE" pack -q a

# error STATUS CODE COMMAND...: fails so, and says it in both places. The members are in error.json.
error() {
    wanted_code=$2
    wanted_status=$1
    shift 2
    status "$wanted_status" "$CAPSULE" "$@"
    says err 'error: '
    python3 - "$wanted_status" "$wanted_code" << 'END' || fail "no error in JSON: $*"
import json, sys
lines = [json.loads(line) for line in open("out", encoding="utf-8")]
error = lines[-1]
assert error["kind"] == "error" and error["schema"] == "capsule.error" and error["version"] == 1, error
assert error["status"] == int(sys.argv[1]) and error["code"] == sys.argv[2] and error["message"], error
assert sum(line.get("kind") == "error" for line in lines) == 1
json.dump(error, open("error.json", "w"))
END
}
member() {
    python3 -c 'import json, sys; print(json.load(open("error.json")).get(sys.argv[1]))' "$1" > member
    [ "$(cat member)" = "$2" ] || { cat error.json; fail "$1 is not: $2"; }
}

# What is not there.
error 2 notFound info missing.capsule --json
member path missing.capsule
error 2 notFound ls --json a.capsule@7
error 2 notFound diff --json a.capsule b.capsule
member path b.capsule
# A place in a file, with what to do about it.
printf '{"CapsuleExpectation": 1,\n "Musst": []}' > run.json
error 2 failure diff a a.capsule --expect run.json --json
member path run.json
member place 2:2
says error.json "did you mean 'Must'"
# What is refused.
error 2 exists pack a -o a.capsule --json
error 2 failure diff a a.capsule --json --rules a/x

# Wrong command lines: the flag may stand anywhere, and may be another flag's value.
error 64 usage --json pack
error 64 usage diff a b c d --rows many --json
error 64 usage pakc a --json
member hint "did you mean 'pack'?"
error 64 usage diff --jsno --json
error 64 usage plist --json
error 64 usage verify - --json
error 64 usage info a extra --json
error 2 notFound plist print missing --json
status 64 "$CAPSULE" --json
says out '^{"kind":"error",.*"code":"usage","message":"a verb is missing"'
for line in 'pack' 'info a b -- --json' 'log a b -- --json'; do
    # shellcheck disable=SC2086
    status 64 "$CAPSULE" $line
    [ ! -s out ] || fail "JSON that nobody asked for: $line"
done

# Where the output is data, there is none.
for line in 'cat a.capsule nothing' 'cat a.capsule' 'generate completions tcsh' 'git textconv missing'; do
    found=0
    # shellcheck disable=SC2086
    "$CAPSULE" $line --json > out 2> err || found=$?
    [ "$found" != 0 ] && [ ! -s out ] || fail "an error in the output of $line"
done

# A report that breaks off ends in the error; one that says itself what failed stays alone.
status 2 "$CAPSULE" plist lint a/x missing --json
[ "$(wc -l < out)" = 2 ] || fail 'not a line for each file'
says_not out '"kind":"error"'
status 2 "$CAPSULE" verify a/x --json
[ "$(wc -l < out)" = 1 ] || fail 'two objects for one file'
says out '"schema":"capsule.verify".*"whole":false'
says err '^capsule: error: a/x: '

# Names that are not UTF-8 are in base 64.
error 2 notFound info "$(printf 'missing\377.capsule')" --json
says error.json '"path64": "bWlzc2luZ/8uY2Fwc3VsZQ=="'

# An output that can't be written loses only the report.
if [ -e /dev/full ]; then
    found=0
    "$CAPSULE" info missing --json > /dev/full 2> err || found=$?
    [ "$found" = 2 ] || fail "status $found with a full disk"
    says err 'missing: '
fi
