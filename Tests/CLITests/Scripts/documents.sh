# README.md and every other page: the commands in them do what stands there, and print it.
. "$LIB"
need python3 git jq
root=$(cd "$SAMPLES/.." && pwd)
documents() { (cd "$root" && find README.md CONTRIBUTING.md docs Benchmarks Packaging Samples Skills Fuzz -name '*.md' | sort); }
documents > pages
[ "$(wc -l < pages)" -ge 11 ] || fail 'there are fewer pages than there were'
xargs python3 "$TOOLS/check_documents.py" "$root" < pages > out 2> err || fail 'a page does not tell the truth'
for page in $(cat pages); do says out "^$page: "; done
says out '^README.md: [2-9][0-9] commands run, '
present README.md/report.html

# Lines for a Mac are run where simulators are made, unless they need Xcode's tools.
says out '^docs/recipes.md: [0-9]* commands run, 5 parsed$'
says out '^docs/faq.md: [0-9]* commands run, 0 parsed$'
says out '^README.md: [0-9]* commands run, 2 parsed$'
sed 's/passed: 21 changes/passed: 22 changes/' "$root/README.md" > README.untrue
rm -rf README.md Samples.migrations.README.md
mkdir clone
cp -R "$root/Samples" "$root/Skills" "$root/docs" "$root/man" "$root/Packaging" "$root/LICENSE" clone
rm -rf clone/Samples/*.xcappdata
cp README.untrue clone/README.md
# A checkout of somebody with another mask shows the same.
chmod -R go-rwx clone
(umask 077 && status 1 python3 "$TOOLS/check_documents.py" "$PWD/clone" Samples/migrations/README.md README.md) || exit 1
says out '^Samples/migrations/README.md: [1-9]'
says err 'line [0-9]*: capsule diff .* --expect .*: prints'
rm -rf clone

# What is not so is found: in each of these pages, and the first of it.
untrue_pages=0
untrue() {
    untrue_pages=$((untrue_pages + 1))
    cat > "page-$untrue_pages.md"
    echo "/page-$untrue_pages.md: .*$1" >> untrue.wanted
}
untrue 'line 3: a command without' << 'END'
Do this:

    capsule ls Samples/Gifs-before.xcappdata
END
untrue 'line 2: a block of sh without' << 'END'
```sh
some/script of mine
```
END
untrue 'line 2: .*: prints' << 'END'
```console
$ capsule ls Samples/Gifs-before.xcappdata Documents/Exports
Documents/Exports
Documents/Exports/week 18.csv
```
END
untrue 'line 1: capsule ls Samples: prints' << 'END'
    $ capsule ls Samples
END
untrue 'line 1: .*: status 64' << 'END'
    $ capsule ls --colour never
END
untrue 'line 1: .*: status 0' << 'END'
    $ capsule ls Samples/overlays/font
    capsule: error: no such thing
END
untrue 'line 3: capsule restore --simulate' << 'END'
- On a Mac:

      mac$ xcrun simctl list && capsule restore --simulate base.capsule sim:booted/com.example.gifs
END
untrue 'no shell takes this' << 'END'
    mac$ xcrun simctl list | (
END
untrue 'make nothing: status 2' << 'END'
    $ make nothing
END
status 1 python3 "$TOOLS/check_documents.py" "$root" "$PWD"/page-*.md
says_not out '/page-'
while IFS= read -r wanted; do says err "$wanted"; done < untrue.wanted

# The expectation holds both ways.
mkdir bin Samples
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH
cp -R "$SAMPLES/expectations" Samples
samples
ok capsule diff Gifs-before.xcappdata Gifs-after.xcappdata --expect Samples/expectations/run.plist
says out ': passed: 21 changes$'
status 1 capsule diff Gifs-after.xcappdata Gifs-before.xcappdata --expect Samples/expectations/run.plist

