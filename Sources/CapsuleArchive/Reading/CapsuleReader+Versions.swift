package import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

extension CapsuleReader {
    package func footers() throws(CapsuleError) -> [Footer] {
        let (footers, failure) = readableFooters()
        if let failure { throw failure }
        return footers
    }

    /// Returns the footers of the versions that can be reached from the newest, newest first. If a damaged footer ends the
    /// search, the error is returned too.
    package func readableFooters() -> (footers: [Footer], failure: CapsuleError?) {
        let (all, failure) = readableChain()
        return (all.filter { !$0.isLabel }, failure)
    }

    /// Returns the footers of versions and label records, newest first, and the error that ends the search, if there is one.
    package func readableChain() -> (footers: [Footer], failure: CapsuleError?) {
        var footers = [last]
        // The number of the last version found.
        var number: UInt32?
        do throws(CapsuleError) {
            try file.fetchFooters(of: codec)
            while let last = footers.last {
                if !last.isLabel { number = last.version }
                guard let earlier = try FooterChain.footer(before: last, in: file) else { break }
                guard earlier.isLabel || number.map({ earlier.version < $0 }) ?? true else {
                    throw CapsuleError(
                        .damaged, "version \(earlier.version), at byte \(earlier.offset), follows a version of a greater number",
                        path: file.path)
                }
                footers.append(earlier)
            }
            return (footers, nil)
        } catch {
            return (footers, error)
        }
    }

    package func footer(of selector: VersionSelector) throws(CapsuleError) -> Footer {
        if selector == .latest { return newest }
        let (chain, failure) = readableChain()
        guard let failure else { return try footer(of: selector, among: chain) }
        // Versions before the damage can't be reached. The first version is among them, and a version that was not found may be.
        if selector == .first { throw failure }
        do throws(CapsuleError) {
            return try footer(of: selector, among: chain)
        } catch {
            throw error.code == .notFound ? failure : error
        }
    }

    private func footer(of selector: VersionSelector, among chain: [Footer]) throws(CapsuleError) -> Footer {
        let footers = chain.filter { !$0.isLabel }
        let found: Footer? =
            switch selector {
            case .number(let number): footers.first { $0.version == number }
            case .first: footers.last
            case .beforeLatest(let back): footers.dropFirst(Int(back)).first
            case .label(let label):
                try version(labelled: label, among: chain).flatMap { number in footers.first { $0.version == number } }
            }
        guard let found else {
            let versions = footers.count == 1 ? "1 version" : "\(footers.count) versions"
            throw CapsuleError(.notFound, "has no version \(selector.spelled): it has \(versions)", path: file.path)
        }
        return found
    }

    package func versionNames() throws(CapsuleError) -> [String] {
        var names = ["latest", "first"]
        names += try footers().map { String($0.version) }
        names += try labels().map(\.label.text)
        return names
    }
}

/// Reads versions from a damaged tail.
package enum TailVersions {
    /// Returns the manifests that can be read after byte `offset`, oldest first.
    /// They can't be trusted more than the damaged bytes around them, because no trusted digest covers them.
    package static func manifests(in capsule: CapsuleReader, from offset: UInt64) throws(CapsuleError) -> [Manifest] {
        let walk = MemberWalk(capsule.file, codec: capsule.codec, from: offset, to: capsule.file.length, readsContent: false)
        var manifests: [Manifest] = []
        // The members of one payload, which are adjacent.
        let pieces = ByteBuffer(capacity: 4_096)
        while !walk.isAtEnd {
            guard case .member(let header) = try walk.member() else { break }
            if header.kind == .manifest {
                guard pieces.count + header.length <= Manifest.maximumLength + Manifest.maximumLength / 8,
                    let content = try walk.content(of: header)
                else { break }
                if header.piece == 0 { pieces.removeAll() }
                pieces.append(content)
                if let manifest = manifest(pieces.bytes, capsule.codec) { manifests.append(manifest) }
            }
            walk.pass(header)
        }
        return manifests
    }

    private static func manifest(_ members: UnsafeRawBufferPointer, _ codec: MemberCodec) -> Manifest? {
        guard let payload = MetadataMember.join(.manifest, members, codec: codec),
            let raw = PayloadCoding.decode(payload, limit: UInt64(Manifest.maximumLength)),
            let list = try? PlistReader.read(raw, accepting: PlistFormat.xmlOrBinary)
        else { return nil }
        return try? Manifest(propertyList: list.value)
    }
}
