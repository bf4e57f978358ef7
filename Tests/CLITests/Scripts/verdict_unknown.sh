# capsule diff: no verdict holds over what was not looked into, or is hidden.
. "$LIB"
need python3

python3 - << 'EOF'
import gzip, os, plistlib, sqlite3
BINARY, XML = plistlib.FMT_BINARY, plistlib.FMT_XML

def make(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)

def database(path, *rows):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    made = sqlite3.connect(path)
    made.execute("create table t(k integer primary key, v)")
    made.executemany("insert into t values(?, ?)", enumerate(rows, 1))
    made.commit()
    made.close()

def wrapped(data, layers):
    for _ in range(layers):
        data = gzip.compress(data, mtime=0)
    return data

def plist(secret, length=0, form=BINARY):
    return plistlib.dumps({"pad": "x" * length, "secret": secret} if length else {"secret": secret}, fmt=form)

for side, secret in ("a", 0), ("b", 1):
    database(side + ".db", secret)
    with open(side + ".db", "rb") as file:
        make(f"zipped/{side}/x.db.gz", wrapped(file.read(), 1))
    for layers in 3, 4:
        make(f"layers-{layers}/{side}/x.plist.gz", wrapped(plist(secret), layers))
    make(f"empty/{side}/x.plist", plist(1) if secret else b"")
    make(f"grown/{side}/x.plist", plist(1) if secret else b"none\n")
    database(f"text/{side}/x.db", plist(secret, 2 << 20, XML).decode())
    database(f"blob/{side}/x.db", plist(secret, 2 << 20))
    database(f"longest/{side}/x.db", plist(secret, 65 << 20))
    database(f"cell/{side}/x.db", plist(1) if secret else "none")
    database(f"null/{side}/x.db", plist(1) if secret else None)
    database(f"broken/{side}/x.db", plist(secret)[:-1])
    make(f"damaged/{side}/x.plist", plist(secret)[:-3])
    # Property lists in data, in a file and in a cell.
    for form, inner in ("cut", plist(secret)[:-3]), ("come", plist(1) if secret else b"none"), ("data", b"none %d" % secret):
        value = plistlib.dumps({"d": inner, "n": secret}, fmt=BINARY)
        make(f"{form}/{side}/x.plist", value)
        database(f"{form}/{side}/x.db", value)
    database(f"other/{side}/x.db", f"<html>{secret}</html>")
    name = "0F5C9A3E-7B1D-4C22-9E55-3A6B7C8D9E0F"
    for form, data in ("external", plist(secret, 2 << 20)), ("picture", b"GIF89a%d" % secret * (1 << 18)):
        database(f"{form}/{side}/x.db", b"\2" + name.encode())
        store = sqlite3.connect(f"{form}/{side}/x.db")
        store.executescript("create table Z_METADATA(Z_VERSION integer primary key, Z_UUID varchar(255), Z_PLIST blob);"
                            "create table Z_PRIMARYKEY(Z_ENT integer primary key, Z_NAME varchar, Z_SUPER integer, Z_MAX integer);"
                            "create table Z_MODELCACHE(Z_CONTENT blob);"
                            "create table ZDOC(Z_PK integer primary key, Z_ENT integer, Z_OPT integer, ZBODY blob);"
                            "insert into ZDOC select k, 1, 1, v from t; drop table t")
        store.close()
        make(f"{form}/{side}/.x_SUPPORT/_EXTERNAL_DATA/{name}", data)
    cookies = b"cook secret-%d" % secret
    value = plistlib.dumps({"jar": cookies, "jars": [cookies], "s": "x"}, fmt=BINARY)
    make(f"hidden/{side}/x.plist", value)
    database(f"hidden/{side}/x.db", value, cookies)
    # Rows that an expectation can't tell apart.
    made = sqlite3.connect(f"hidden/{side}/u.db")
    made.execute("create table t(k text primary key, v)")
    made.executemany("insert into t values(?, ?)", [(name, b"%d" % secret), (name[:-1] + "0", cookies)])
    made.commit()
    made.close()
EOF

# judge STATUS CASE CLAUSE OPTION...: a MustNot of the clause, held against the diff of a case's two sides.
judge() {
    wanted_status=$1
    sides="$2/a $2/b"
    echo "{\"CapsuleExpectation\": 1, \"Other\": \"allow\", \"MustNot\": [$3]}" > guard.json
    shift 3
    # shellcheck disable=SC2086
    status "$wanted_status" "$CAPSULE" diff $sides --expect guard.json "$@"
}
# unknown CASE CLAUSE OPTION...: it can't be judged.
unknown() {
    judge 1 "$@"
    says out '^! can.t be judged: '
}
# forbidden CASE CLAUSE OPTION...: the change is found.
forbidden() {
    judge 1 "$@"
    says out '^! forbidden: '
}

# A database that is compressed is not looked into, nor is what is compressed again and again.
for clause in '{"Table": "t"}' '{"Kind": "row"}' '{"Pointer": "/secret"}' '{"Kind": "schema"}'; do unknown zipped "$clause"; done
says out 'not compared as sqlite: in compressed data$'
status 1 "$CAPSULE" diff zipped/a zipped/b
says out '^~ x.db.gz (gzip/bytes)$'
says out '^    ! not compared as sqlite: both sides: in compressed data$'
judge 0 zipped '{"Kind": "text"}'
forbidden layers-3 '{"Pointer": "/secret"}'
unknown layers-4 '{"Pointer": "/secret"}'
says out 'not compared as gzip: compressed more than 3 times$'
for case in empty grown; do unknown $case '{"Pointer": "/secret"}'; done

# A property list in a cell that is too long is not, whatever form the value has.
secret='{"Pointer": "/<plist>/secret"}'
for case in text blob external; do
    unknown $case "$secret"
    says err "hint: '--full' compares long values in full"
    forbidden $case "$secret" --full
    unknown $case '{"Pointer": "/<plist>/secret", "Kind": "value"}'
done
unknown longest "$secret" --full
# Nor is one where the other side has none, or that is damaged.
for case in cell null broken; do
    unknown $case "$secret"
    says_not err hint
done
# What is no property list has no places.
for case in other picture; do judge 0 $case "$secret"; done
# Their places begin at the value.
for clause in '{"Pointer": "/debugMenu"}' '{"Pointer": "/debug*/**"}' '{"Pointer": ""}'; do judge 0 blob "$clause"; done
for clause in '{"Pointer": "/<archive>/$top"}' '{"Pointer": "/*/secret"}' '{"Pointer": "debugMenu"}' '{"Pointer": "/<p*/a"}'; do
    unknown blob "$clause"
done

# What is in data of a property list is not known where it is damaged, or on one side alone.
for case in cut come; do
    for place in '/d/<plist>/secret' '/<plist>/d/<plist>/secret'; do
        # What came as a whole is looked into.
        verdict=unknown
        [ $case = come ] && verdict=forbidden
        $verdict $case "{\"Pointer\": \"$place\"}"
        $verdict $case "{\"Pointer\": \"$place\", \"Kind\": \"added\"}"
        judge 0 data "{\"Pointer\": \"$place\"}"
        echo "{\"CapsuleExpectation\": 1, \"Other\": \"allow\", \"May\": [{\"Pointer\": \"$place\", \"Count\": 0}]}" > count.json
        status 1 "$CAPSULE" diff $case/a $case/b --expect count.json
        if [ $verdict = unknown ]; then
            says out '^! can.t be judged: '
            says out 'not compared as plist: '
        else
            says out '^! 1 change instead of 0: '
        fi
        status 0 "$CAPSULE" diff data/a data/b --expect count.json
        for kind in '' ', "Kind": "added"'; do
            echo "{\"CapsuleRules\": 1, \"Rules\": [{\"Class\": \"mine\", \"Path\": \"**\"},
                {\"Class\": \"signal\", \"Path\": \"**\", \"Pointer\": \"$place\"$kind}]}" > rules.json
            status 1 "$CAPSULE" diff $case/a $case/b --rules rules.json
            status 0 "$CAPSULE" diff data/a data/b --rules rules.json
        done
    done
    judge 0 $case '{"Pointer": "/n/**/secret"}'
    forbidden $case '{"Pointer": "/d"}'
done
# Nor is it known how a property list is written that can't be read.
unknown damaged '{"Kind": "encoding"}'

# A rule that takes a place out of noise takes out what may be there.
echo '{"CapsuleRules": 1, "Rules": [{"Class": "mine", "Path": "x.db", "Table": "t"},
    {"Class": "signal", "Path": "x.db", "Pointer": "/<plist>/secret"}]}' > rules.json
status 1 "$CAPSULE" diff blob/a blob/b --rules rules.json
status 0 "$CAPSULE" diff other/a other/b --rules rules.json
# In a file that was not looked into as well.
# hides STATUS CASE RULE: the diff of a case's two sides, all of which is noise but what the rule takes out.
hides() {
    echo "{\"CapsuleRules\": 1, \"Rules\": [{\"Class\": \"mine\", \"Path\": \"**\"}, $3]}" > rules.json
    status "$1" "$CAPSULE" diff "$2/a" "$2/b" --rules rules.json
}
for case in zipped layers-4 empty grown damaged; do
    hides 1 $case '{"Class": "signal", "Path": "**", "Pointer": "/secret"}'
    says out '^    ! not compared as '
    hides 0 $case '{"Class": "signal", "Path": "other/**", "Pointer": "/secret"}'
    hides 0 $case '{"Class": "signal", "Path": "**", "Kind": "renamed"}'
    hides 0 $case '{"Class": "signal", "Path": "**", "Pointer": "/secret"}, {"Class": "later", "Path": "x*"}'
done
hides 1 zipped '{"Class": "signal", "Path": "**", "Table": "t"}'
hides 1 zipped '{"Class": "signal", "Path": "**", "Kind": "row"}'
hides 0 empty '{"Class": "signal", "Path": "**", "Table": "t"}'

# A hidden value is judged as what it is, and not shown.
for clause in '{"Pointer": "/jar", "To": {"Is": "data"}}' '{"Pointer": "/<plist>/jar", "To": {"Is": "data"}}' \
    '{"Table": "t", "Row": {"k": 2}, "To": {"Is": "data"}}'; do
    forbidden hidden "$clause"
    says_not out 'secret-'
    forbidden hidden "$clause" --show-secrets
done
judge 0 hidden '{"Pointer": "/jar", "To": {"Is": "string"}}'
judge 0 hidden '{"Pointer": "/jar", "To": {"Is": "absent"}}'
# What is written of it does not speak of it, and holds with and without it.
for option in --expect-write --learn; do
    status 1 "$CAPSULE" diff hidden/a hidden/b -q $option "written$option"
    says_not "written$option" 'secret-'
done
says_not written--expect-write '<string>hidden (cookie)</string>'
says_not written--learn '<string>string</string>'
for option in --show-secrets --all; do
    ok "$CAPSULE" diff hidden/a hidden/b --expect written--expect-write $option
    ok "$CAPSULE" diff hidden/a hidden/b --rules written--learn $option
done
for case in zipped layers-4 text cell; do
    status 1 "$CAPSULE" diff $case/a $case/b -q --expect-write $case.json
    ok "$CAPSULE" diff $case/a $case/b --expect $case.json
done
# Nor is it shown where it is nested in a cell.
for form in '' --json --full; do
    # shellcheck disable=SC2086
    status 1 "$CAPSULE" diff hidden/a hidden/b $form
    says_not out 'secret-'
done
