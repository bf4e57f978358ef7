# Signatures go with a capsule to a registry and back: as referrers where it lists them, else in an index that a tag names.
. "$TOOLS/fake_setup.sh"
needs ssh-keygen
ssh-keygen -q -t ed25519 -N '' -f key
ssh-keygen -q -t ed25519 -N '' -f other
echo "ann@example.com $(cat key.pub)" > signers
for version in 1 2; do ok "$CAPSULE" sign -q two.capsule@$version --key key; done

for how in '' referrers; do
    faults fake $how
    to=oci://$host/team/signed${how:+-$how}
    ok "$CAPSULE" push two.capsule $to:main
    digest=$(sed 's/.*@\(sha256:[0-9a-f]*\): .*/\1/' out)
    ok "$CAPSULE" push two.capsule $to:main
    ok "$CAPSULE" tags $to
    [ "$(cat out)" = main ] || fail 'a tag of signatures is listed'
    rm -rf back
    mkdir back
    ok "$CAPSULE" pull $to:main -o back/two.capsule
    for version in 1 2; do same two.capsule.$version.sig back/two.capsule.$version.sig; done
    ok "$CAPSULE" verify back/two.capsule --signers signers --require-signature
    # By its digest, and only the versions that are pulled.
    rm -rf back/*
    ok "$CAPSULE" pull "$to@$digest@1" -o back/one.capsule
    same two.capsule.1.sig back/one.capsule.1.sig
    absent back/one.capsule.2.sig
    ok "$CAPSULE" verify back/one.capsule --signers signers --require-signature
    # Another signature is not replaced, and one that was removed comes back.
    rm -rf back/*
    ok "$CAPSULE" pull $to:main -o back/two.capsule
    ok "$CAPSULE" sign back/two.capsule@1 --key other --force
    cp back/two.capsule.1.sig others
    rm back/two.capsule.2.sig
    status 0 "$CAPSULE" pull $to:main -o back/two.capsule
    says err "^capsule: warning: back/two.capsule.1.sig: the server has another signature$"
    same others back/two.capsule.1.sig
    same two.capsule.2.sig back/two.capsule.2.sig
    ok "$CAPSULE" pull --force $to:main -o back/two.capsule
    same two.capsule.1.sig back/two.capsule.1.sig
done

# A registry that takes no such manifest has the capsule, and a note says the rest.
faults fake gitlab
status 0 "$CAPSULE" push two.capsule oci://$host/team/plain:main
says err 'does not take signatures'
faults fake
ok "$CAPSULE" pull oci://$host/team/plain:main -o plain.capsule
absent plain.capsule.1.sig

# What a server sends is bounded, and never more than files of signatures.
store=store/team/signed
python3 - "$store" << 'END'
import hashlib, json, os, sys
top = sys.argv[1]
tag = [name for name in os.listdir(top + "/tags") if name.startswith("sha256-")][0]
index = json.load(open(f"{top}/manifests/" + open(f"{top}/tags/{tag}").read().split(":")[1]))
manifest = json.load(open(f"{top}/manifests/" + index["manifests"][0]["digest"].split(":")[1]))
def put(kind, data):
    digest = hashlib.sha256(data).hexdigest()
    open(f"{top}/{kind}/{digest}", "wb").write(data)
    return {"digest": "sha256:" + digest, "size": len(data)}
layers = []
for title, data in (("../1.sig", b"-----BEGIN SSH SIGNATURE-----\n"), ("1.sig", b"#!/bin/sh\n"), ("2.sig", b"x" * 70000), ("9.sig", b"-----BEGIN SSH SIGNATURE-----\n")):
    layers.append({"mediaType": manifest["layers"][0]["mediaType"], **put("blobs", data), "annotations": {"org.opencontainers.image.title": title}})
manifest["layers"] = layers
entry = {**index["manifests"][0], **put("manifests", json.dumps(manifest).encode())}
index["manifests"] = [entry]
open(f"{top}/tags/{tag}", "w").write(put("manifests", json.dumps(index).encode())["digest"])
END
mkdir hostile
(cd hostile && ok "$CAPSULE" pull oci://$host/team/signed:main -o two.capsule)
only hostile two.capsule out err
