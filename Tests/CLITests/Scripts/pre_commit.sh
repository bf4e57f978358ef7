# .pre-commit-hooks.yaml: each hook takes the files that it is for, and fails if one of several is bad. pre-commit itself is not called.
. "$LIB"
need ruby
mkdir bin
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH
# hook STATUS ID FILE...: as pre-commit does: those of the files that match, behind the words of the entry.
cat > hook.rb << 'END'
require "shellwords"
require "yaml"
hook = YAML.load_file(ARGV[0]).find { |candidate| candidate["id"] == ARGV[1] } or abort "no hook #{ARGV[1]}"
abort "not a hook of the system" unless hook["language"] == "system" && hook["name"] && hook["description"]
files = ARGV.drop(2).grep(Regexp.new(hook["files"]))
exec(*hook["entry"].shellsplit, *files) unless files.empty?
puts "no files"
END
hook() {
    wanted=$1
    shift
    status "$wanted" ruby hook.rb "$SAMPLES/../.pre-commit-hooks.yaml" "$@"
}

mkdir Gifs
xml_of a=b > Gifs/Info.plist
cp Gifs/Info.plist Gifs/Gifs.entitlements
cp Gifs/Info.plist Gifs/PrivacyInfo.xcprivacy
echo '"a" = "b";' > Gifs/InfoPlist.strings
echo '{' > Gifs/settings.json
echo '{' > Gifs/plist
hook 0 capsule-plist-check Gifs/Info.plist Gifs/Gifs.entitlements Gifs/PrivacyInfo.xcprivacy Gifs/InfoPlist.strings Gifs/settings.json Gifs/plist
for name in Info.plist Gifs.entitlements PrivacyInfo.xcprivacy InfoPlist.strings; do says out "^Gifs/$name: OK"; done
xml_of a=b a=c > 'Gifs/two keys.plist'
hook 2 capsule-plist-check Gifs/Info.plist 'Gifs/two keys.plist' Gifs/InfoPlist.strings
says err '^Gifs/two keys.plist:'
hook 0 capsule-plist-check Gifs/settings.json
says out '^no files$'

ok "$CAPSULE" pack -q Gifs -o 'Gifs 1.capsule'
cp 'Gifs 1.capsule' bad.capsule
printf x | dd of=bad.capsule bs=1 seek=300 conv=notrunc 2> /dev/null
hook 0 capsule-verify 'Gifs 1.capsule' Gifs/settings.json
[ ! -s out ] || fail 'it is not silent'
hook 1 capsule-verify bad.capsule 'Gifs 1.capsule'
says err bad.capsule
