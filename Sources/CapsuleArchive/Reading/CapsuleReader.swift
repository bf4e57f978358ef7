package import CapsuleCore
import CapsuleHashing
import CapsulePropertyList

/// Reads a capsule: its versions, their manifests and indexes.
package final class CapsuleReader: Sendable {
    /// The file with the length that was judged: another than the one given, if that was being written to.
    package let file: CapsuleFile
    package let codec: MemberCodec
    /// The newest whole version's footer.
    package let newest: Footer
    /// What follows it.
    package let tail: Tail
    private let metadata: MetadataReader

    /// What follows the last whole version.
    package enum Tail: Sendable, Equatable {
        case whole
        /// What an interrupted append or a cut leaves, from this byte on.
        case torn(UInt64)
        /// Anything else, from this byte on.
        case damaged(UInt64)
        /// What somebody was just writing when the file was opened, from this byte on: nothing to speak of.
        case growing(UInt64)
    }

    /// - Throws: ``ArchiveError`` with the code `notCapsule` for any other file, `torn` and `damaged` for one without a whole
    ///   version.
    package init(_ file: CapsuleFile) throws(ArchiveError) {
        let chain = try FooterChain(of: file)
        self.file = chain.file
        codec = chain.codec
        newest = chain.newest
        tail =
            switch chain.tail {
            case .whole: .whole
            case .torn(let end): .torn(end)
            case .damaged(let end): .damaged(end)
            case .growing(let end): .growing(end)
            }
        metadata = MetadataReader(file: chain.file, codec: chain.codec)
    }

    /// A version's manifest as it is stored.
    package func manifestDocument(of footer: Footer) throws(ArchiveError) -> [UInt8] {
        guard let raw = try metadata.raw(footer.manifest, .manifest, limit: UInt64(Manifest.maximumLength)) else {
            throw damaged("the manifest of version \(footer.version)", at: footer.manifest.offset)
        }
        return raw
    }

    /// A version's manifest.
    package func manifest(of footer: Footer) throws(ArchiveError) -> Manifest {
        let document = try manifestDocument(of: footer)
        let manifest: Manifest
        do {
            let list = try PlistReader.read(document, accepting: PlistFormat.xmlOrBinary)
            manifest = try Manifest(propertyList: list.value)
        } catch let error as ManifestError {
            throw ArchiveError(.damaged, error.message, path: file.path)
        } catch {
            throw ArchiveError(
                .damaged, "the manifest of version \(footer.version) is not a property list: \(error)", path: file.path)
        }
        guard manifest.version == footer.version, manifest.indexDigest == footer.root.digest else {
            throw ArchiveError(.damaged, "the manifest of version \(footer.version) refers to a different index", path: file.path)
        }
        return manifest
    }

    /// A version's index root.
    package func root(of footer: Footer) throws(ArchiveError) -> IndexRoot {
        guard let raw = try metadata.raw(footer.root, .indexRoot, limit: CapsuleLimits.indexRootLength),
            let root = raw.withUnsafeBytes({ IndexRoot(decoding: $0) })
        else { throw damaged("the index of version \(footer.version)", at: footer.root.offset) }
        return root
    }

    /// A version's manifest with the root of its index, which say the same of how much there is.
    package func head(of footer: Footer) throws(ArchiveError) -> (manifest: Manifest, root: IndexRoot) {
        let (manifest, root) = (try manifest(of: footer), try root(of: footer))
        guard root.entries == manifest.entries, root.bytes == manifest.bytes else {
            throw ArchiveError(.damaged, "index and manifest of version \(footer.version) don't match", path: file.path)
        }
        return (manifest, root)
    }

    /// One block of an index, its facts checked.
    package func block(_ block: IndexRoot.Block) throws(ArchiveError) -> IndexBlock {
        let found = try decoded(block) { (bytes) throws(IndexBlock.Problem) in
            try IndexBlock(decoding: bytes, count: Int(block.entries))
        }
        guard let first = found.entries.first, first.root == block.firstRoot, first.path == block.firstPath else {
            throw damaged("an index block", at: block.offset)
        }
        return found
    }

    /// The paths and kinds of one block's entries, in order, without the other facts that go with them.
    package func forEachPath(
        in block: IndexRoot.Block, _ body: (TreeRoot, EntryKind, UnsafeRawBufferPointer) -> Void
    ) throws(ArchiveError) {
        try decoded(block) { (bytes) throws(IndexBlock.Problem) in
            try IndexBlock.forEachPath(in: bytes, count: Int(block.entries), body)
        }
    }

    /// The contents that one block speaks of, without the entries that have them.
    package func contents(of block: IndexRoot.Block) throws(ArchiveError) -> IndexContents {
        try decoded(block) { (bytes) throws(IndexBlock.Problem) in
            try IndexContents(decoding: bytes, count: Int(block.entries))
        }
    }

    /// Whether a block says the same of its entries as one of another capsule; where the contents are stored is not compared.
    package func isAlike(
        _ block: IndexRoot.Block, _ other: IndexRoot.Block, of capsule: CapsuleReader, times: Bool
    ) throws(ArchiveError) -> Bool {
        let raw = try capsule.raw(other)
        return try decoded(block) { (bytes) throws(IndexBlock.Problem) in
            try raw.withRawBytes { (other) throws(IndexBlock.Problem) in try IndexBlock.areAlike(bytes, other, times: times) }
        }
    }

    /// Whether a block says of those of its entries that are compared what these do.
    package func isAlike(
        _ block: IndexRoot.Block, _ entries: ArraySlice<TreeEntry>, times: Bool
    ) throws(ArchiveError) -> Bool {
        try decoded(block) { (bytes) throws(IndexBlock.Problem) in
            try IndexBlock.isAlike(bytes, count: Int(block.entries), entries, times: times)
        }
    }

    private func decoded<Decoded>(
        _ block: IndexRoot.Block, _ decode: (UnsafeRawBufferPointer) throws(IndexBlock.Problem) -> Decoded
    ) throws(ArchiveError) -> Decoded {
        let raw = try raw(block)
        do throws(IndexBlock.Problem) {
            return try raw.withRawBytes(decode)
        } catch {
            throw ArchiveError(.damaged, "an index block at byte \(block.offset) is damaged: \(error.message)", path: file.path)
        }
    }

    private func raw(_ block: IndexRoot.Block) throws(ArchiveError) -> [UInt8] {
        let span = Footer.Span(offset: block.offset, length: UInt64(block.stored), digest: block.digest)
        guard let raw = try metadata.raw(span, .indexBlock, limit: CapsuleLimits.indexBlockLength) else {
            throw damaged("an index block", at: block.offset)
        }
        return raw
    }

    /// The entry at a path, with the block it is in; nil if there is none. Reads one block.
    package func find(
        _ path: RelativePath, in part: TreeRoot, of root: IndexRoot
    ) throws(ArchiveError) -> (block: IndexBlock, entry: Int)? {
        guard let number = root.block(holding: path, in: part) else { return nil }
        let block = try block(root.blocks[number])
        guard let entry = block.entries.firstIndex(where: { $0.root == part && $0.path == path }) else { return nil }
        return (block, entry)
    }

    /// What stands for an index whose blocks together hold more than ``CapsuleLimits/indexLength``.
    package var tooLongIndex: ArchiveError {
        ArchiveError(.damaged, "its index holds more than \(CapsuleLimits.indexLength >> 30) GiB", path: file.path)
    }

    private func damaged(_ what: String, at offset: UInt64) -> ArchiveError {
        ArchiveError(.damaged, "\(what) at byte \(offset) is damaged", path: file.path)
    }
}
