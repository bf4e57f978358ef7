# Packaging/action: the steps of the actions run as GitHub runs them, with releases in a directory and a stand-in for Homebrew.
. "$LIB"
need ruby python3 tar
actions=$SAMPLES/../Packaging/action
place=$PWD
mkdir bin temp

# step ACTION NAME INPUT=VALUE...: writes step.sh, which sets what the step's env says and does what it runs.
cat > step.rb << 'END'
require "shellwords"
require "yaml"
action = YAML.load_file(ARGV[0])
given = ARGV.drop(2).to_h { |pair| pair.split("=", 2) }
unknown = given.keys - action["inputs"].keys
abort "no input #{unknown}" unless unknown.empty?
inputs = action["inputs"].to_h do |name, input|
  abort "an input without a description: #{name}" unless input["description"]
  value = given[name] || input["default"]
  abort "the input #{name} is required" if value.nil? || input["required"] && value.empty?
  [name, value]
end
github = { "github.server_url" => "https://github.example", "github.action_repository" => "owner/capsule-appdata" }
step = action["runs"]["steps"].find { |candidate| candidate["name"] == ARGV[1] }
abort "not in bash" unless step["shell"] == "bash"
# No input becomes a part of the script.
abort "an expression in the script" if step["run"].include?("${{")
step["env"].each do |name, text|
  values = text[/\A\$\{\{ (.*) \}\}\z/, 1].split(" || ").map { |term| github[term] || inputs.fetch(term.delete_prefix("inputs.")) }
  puts "export #{name}=#{(values.find { |value| !value.empty? } || "").shellescape}"
end
puts step["run"]
END
# run STATUS ACTION NAME INPUT=VALUE...: that step, in the environment of a runner.
os=Linux arch=X64
run() {
    wanted=$1 name=$2
    shift 2
    ruby step.rb "$actions/$name/action.yml" "$@" > step.sh || fail "no step: $*"
    for file in path output summary; do : > "github_$file"; done
    status "$wanted" env GITHUB_ACTIONS=true RUNNER_OS=$os RUNNER_ARCH=$arch RUNNER_TEMP="$place/temp" GITHUB_PATH="$place/github_path" \
        GITHUB_OUTPUT="$place/github_output" GITHUB_STEP_SUMMARY="$place/github_summary" PATH="$place/bin:$PATH" \
        bash --noprofile --norc -eo pipefail step.sh
}

# setup-capsule. A release, and curl, which takes it from a directory.
release=owner/capsule-appdata/releases/download/v0.1.0
tarball=capsule-0.1.0-linux-x86_64.tar.gz
mkdir -p "$release" capsule-0.1.0-linux-x86_64/bin
printf '#!/bin/sh\necho "capsule 0.1.0"\n' > capsule-0.1.0-linux-x86_64/bin/capsule
chmod +x capsule-0.1.0-linux-x86_64/bin/capsule
tar -czf "$release/$tarball" capsule-0.1.0-linux-x86_64
echo 'class CapsuleAppdata < Formula' > "$release/capsule-appdata.rb"
sums() { for name; do echo "$(digest_of "$release/$name")  $name"; done > "$release/SHA256SUMS"; }
sums $tarball capsule-appdata.rb
cat > bin/curl << END
#!/bin/sh
while [ \$# -gt 1 ]; do
    [ "\$1" != -o ] || file=\$2
    shift
done
cp "$place/\${1#https://github.example/}" "\$file"
END
chmod +x bin/curl
setup() {
    result=$1
    shift
    run "$result" setup-capsule 'Install Capsule' "$@"
}
refused() {
    setup 1 "$@"
    says out "^::error title=setup-capsule::$reason"
    [ ! -s github_path ] || fail 'a program that is refused is in PATH'
}
setup 0 version=0.1.0
says out '^capsule 0.1.0$'
[ "$("$(cat github_path)/capsule")" = 'capsule 0.1.0' ] || fail 'the program is not in PATH'
setup 0 version=0.1.0 sha256="$(digest_of "$release/$tarball")"
reason="the digest of $tarball is " refused version=0.1.0 sha256="$(digest_of step.rb)"
reason="can't download capsule-0.2.0-linux-x86_64.tar.gz of 0.2.0$" refused version=0.2.0
reason='the input version is not a version' refused version='0.1.0$(touch made)'
reason='set the input repository to OWNER/NAME$' refused version=0.1.0 repository=https://elsewhere.example/x
reason="can't download $tarball" refused version=0.1.0 repository=someone/fork
arch=ARM64
reason="can't download capsule-0.1.0-linux-aarch64.tar.gz" refused version=0.1.0
os=Windows
reason='there is no release for Windows on ARM64$' refused version=0.1.0
os=Linux arch=X64
sums capsule-appdata.rb
reason="SHA256SUMS of 0.1.0 does not list $tarball$" refused version=0.1.0
sums $tarball capsule-appdata.rb
echo damage >> "$release/$tarball"
reason="the digest of $tarball is " refused version=0.1.0
absent made

# On a Mac: the formula of the release, in a tap of its own, twice.
cat > bin/brew << END
#!/bin/sh
echo "brew \$*" >> "$place/log"
case "\$1" in
    tap-new) mkdir -p "$place/tap/Formula" ;;
    --repository) echo "$place/tap" ;;
    --prefix) echo "$place/prefix" ;;
    install)
        [ -f "$place/tap/Formula/capsule-appdata.rb" ] || exit 1
        mkdir -p "$place/prefix/bin"
        cp "$place/capsule-0.1.0-linux-x86_64/bin/capsule" "$place/prefix/bin" ;;
esac
END
chmod +x bin/brew
os=macOS arch=ARM64
setup 0 version=0.1.0
setup 0 version=0.1.0
says out '^capsule 0.1.0$'
grep -e tap-new -e install log > made.log
printf 'brew %s\n' 'tap-new --no-git capsule/release' 'install capsule/release/capsule-appdata' 'install capsule/release/capsule-appdata' > wanted
same made.log wanted
os=Linux arch=X64

# capsule-diff.
ln -s "$CAPSULE" bin/capsule
samples
compare() {
    result=$1
    shift
    run "$result" capsule-diff Compare "$@"
    page=$(sed -n 's/^page=//p' github_output)
}
compare 0 before=Gifs-before.xcappdata after=Gifs-after.xcappdata
says github_output '^status=1$'
says github_summary '^### Capsule: Differences$'
says github_summary '^| `Documents/Exports/week 20.csv` | `added, 34 bytes` |$'
says "$page" '^<!'
compare 0 before=Gifs-before.xcappdata after=Gifs-after.xcappdata rules="$SAMPLES/rules.json"
says github_summary '19 changes hidden as noise: .*, `clock` 2,'
compare 0 before=Gifs-before.xcappdata after=Gifs-before.xcappdata
says github_output '^status=0$'
says github_summary '^### Capsule: No differences$'
cp "$SAMPLES/expectations/run.plist" 'my run.plist'
compare 0 before=Gifs-before.xcappdata after=Gifs-after.xcappdata expect='my run.plist'
says github_output '^status=0$'
says github_summary '^### Capsule: The expectation passed$'
present "$page"
compare 1 before=Gifs-after.xcappdata after=Gifs-before.xcappdata expect='my run.plist'
says github_output '^status=1$'
says github_summary '^### Capsule: The expectation failed$'
says err '^::error title=my run.plist::'
present "$page"
compare 2 before=Gifs-before.xcappdata after='$(touch made)'
says github_summary '^### Capsule: The comparison failed$'
says err '^::error'
[ -z "$page" ] || fail 'a page of nothing'
compare 2 before=--version
absent made
# The last two versions of a capsule. Names that are Markdown, and more lines than the summary shows.
mkdir -p Data/Documents
ok "$CAPSULE" pack -q Data --append -o 'a run.capsule'
echo '# forged' > 'Data/Documents/!```'
printf '%s\n' one '```' '<b>' > 'Data/Documents/# heading'
for number in $(seq 4); do echo "$number" > "Data/Documents/$number"; done
ok "$CAPSULE" pack -q Data --append -o 'a run.capsule'
compare 0 before='a run.capsule'
says github_summary '^| ```` Documents/!``` ```` |'
[ "$(grep -c '^<!-- capsule diff -->$' github_summary)" = 1 ] || fail 'not one report'

# The page is uploaded whatever the verdict.
ruby -ryaml -e '
upload = YAML.load_file(ARGV[0])["runs"]["steps"].last
abort "the page is not uploaded" unless upload["uses"].start_with?("actions/upload-artifact@") && upload["with"]["path"].include?("outputs.page")
abort "only if it passed" unless upload["if"].include?("!cancelled()")
' "$actions/capsule-diff/action.yml" || fail 'the last step'
