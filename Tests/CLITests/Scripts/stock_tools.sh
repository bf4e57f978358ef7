# Stock tools extract a capsule exactly, times to the second, and say nothing.
. "$LIB"
needs_gnu tar
need python3 bsdtar gzip zstd
samples
python3 "$TOOLS/make_tree.py" random random --seed 7 --entries 120 2> /dev/null
mkdir plain
mv random plain/
extract='import sys, tarfile
tarfile.TarFile.extraction_filter = staticmethod(lambda member, path: member)
with tarfile.open(sys.argv[1]) as tar:
    tar.extractall(sys.argv[2])'
for source in Gifs-before.xcappdata plain/random; do
    name=$(basename "$source")
    for codec in gzip zstd; do
        ok "$CAPSULE" pack "$source" -o c.capsule --force --codec "$codec" --quiet
        for locale in C C.UTF-8; do
            for tool in tar bsdtar python; do
                [ "$tool $locale" != 'python C' ] || continue
                rm -rf x
                mkdir x
                if [ "$codec" = gzip ]; then cp c.capsule c.tar.gz; archive=c.tar.gz; else cp c.capsule c.tar.zst; archive=c.tar.zst; fi
                case $tool in
                tar) ok env LC_ALL=$locale tar --warning=no-timestamp -xpf "$archive" -C x ;;
                bsdtar) ok env LC_ALL=$locale bsdtar -xpf "$archive" -C x ;;
                python)
                    [ "$codec" = gzip ] || { zstd -dqf "$archive" -o c.tar; archive=c.tar; }
                    ok python3 -W ignore -c "$extract" "$archive" x ;;
                esac
                case $tool in
                # Python sets no times of links before 3.12 or so, and none of directories below links.
                python) same_trees "$source" "x/$name" --times s --no-link-times ;;
                *) same_trees "$source" "x/$name" --times s ;;
                esac
            done
        done
        if [ "$codec" = gzip ]; then ok gzip -t c.tar.gz; else ok zstd -qt c.tar.zst; fi
    done
done
