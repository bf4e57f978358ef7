# Hints that depend on the home directory and on where a repository is.
. "$LIB"
# sim: without simulators: no flag is named that the verb doesn't have.
mkdir empty.home live
for command in 'restore live sim:booted/com.example.app' 'ls sim:com.example.app' 'drop sim:booted/com.example.app caches'; do
    # shellcheck disable=SC2086 # several words
    status 2 env HOME="$PWD/empty.home" "$CAPSULE" $command
    says err "^capsule: hint: simulators need a Mac with Xcode; 'capsule locate --devices DIR' prints paths in a copied Devices directory, to use instead of sim:$"
done
mkdir norepo
(cd norepo && GIT_CEILING_DIRECTORIES="$PWD/.." status 2 "$CAPSULE" git install && says err "hint: run it in a repository; 'git init'")
