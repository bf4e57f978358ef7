# Random sequences of commands beside a model of what every version and the live directory hold; some are killed. The seed is
# printed. The long form takes 300 sequences.
. "$LIB"
need python3
set -- --sequences 5
[ -z "${CAPSULE_LONG_TESTS:-}" ] || set -- --sequences 300 --steps 40
mkdir sequences
cd sequences
python3 "$TOOLS/check_model.py" "$CAPSULE" "$@" > ../log || { cd ..; fail "$(cat log)"; }
cd ..
cat log
