package import CapsuleCore
import CapsuleHashing
import CapsulePropertyList

/// Reads a capsule: its versions, their manifests and indexes.
package final class CapsuleReader: Sendable {
    /// The capsule file. If it was being written to, this is not the given file but one with the length that was examined.
    package let file: CapsuleFile
    package let codec: MemberCodec
    /// The footer of the newest version.
    package let newest: Footer
    /// The last footer in the file, which may be that of a label record. The next one follows it.
    package let last: Footer
    package let tail: Tail
    private let metadata: MetadataReader

    /// The bytes after the last complete version.
    package enum Tail: Sendable, Equatable {
        case whole
        /// The rest of an interrupted append or of a truncated file, from this byte on.
        case torn(UInt64)
        /// Anything else, from this byte on.
        case damaged(UInt64)
        /// Bytes that another program was writing when the file was opened, from this byte on. This is not a problem.
        case growing(UInt64)
    }

    package init(_ file: CapsuleFile) throws(CapsuleError) {
        let chain = try FooterChain(of: file)
        self.file = chain.file
        codec = chain.codec
        (last, newest) = chain.end
        tail = chain.tail
        metadata = MetadataReader(file: chain.file, codec: chain.codec)
    }

    package func manifestDocument(of footer: Footer) throws(CapsuleError) -> [UInt8] {
        guard let raw = try metadata.raw(footer.manifest, .manifest, limit: UInt64(Manifest.maximumLength)) else {
            throw damaged("the manifest of version \(footer.version)", at: footer.manifest.offset)
        }
        return raw
    }

    package func manifest(of footer: Footer) throws(CapsuleError) -> Manifest {
        let document = try manifestDocument(of: footer)
        let manifest: Manifest
        do {
            let list = try PlistReader.read(document, accepting: PlistFormat.xmlOrBinary)
            manifest = try Manifest(propertyList: list.value)
        } catch let error as ManifestError {
            throw CapsuleError(.damaged, error.message, path: file.path)
        } catch {
            throw CapsuleError(
                .damaged, "the manifest of version \(footer.version) is not a property list: \(error)", path: file.path)
        }
        guard manifest.version == footer.version, manifest.indexDigest == footer.root.digest else {
            throw CapsuleError(.damaged, "the manifest of version \(footer.version) refers to a different index", path: file.path)
        }
        try file.compareWithList(manifest, of: footer)
        return manifest
    }

    package func root(of footer: Footer) throws(CapsuleError) -> IndexRoot {
        guard let raw = try metadata.raw(footer.root, .indexRoot, limit: CapsuleLimits.indexRootLength),
            let root = raw.withUnsafeBytes({ IndexRoot(decoding: $0) })
        else { throw damaged("the index of version \(footer.version)", at: footer.root.offset) }
        return root
    }

    package func head(of footer: Footer) throws(CapsuleError) -> (manifest: Manifest, root: IndexRoot) {
        try file.fetch([footer.manifest.range, footer.root.range])
        let (manifest, root) = (try manifest(of: footer), try root(of: footer))
        guard root.entries == manifest.entries, root.bytes == manifest.bytes else {
            throw CapsuleError(.damaged, "index and manifest of version \(footer.version) don't match", path: file.path)
        }
        return (manifest, root)
    }

    package func block(_ block: IndexRoot.Block) throws(CapsuleError) -> IndexBlock {
        let found = try decoded(block) { (bytes) throws(IndexBlock.Problem) in
            try IndexBlock(decoding: bytes, count: Int(block.entries))
        }
        guard let first = found.entries.first, first.root == block.firstRoot, first.path == block.firstPath else {
            throw damaged("an index block", at: block.offset)
        }
        return found
    }

    package func forEachPath(
        in block: IndexRoot.Block, _ body: (TreeRoot, EntryKind, UnsafeRawBufferPointer) -> Void
    ) throws(CapsuleError) {
        try decoded(block) { (bytes) throws(IndexBlock.Problem) in
            try IndexBlock.forEachPath(in: bytes, count: Int(block.entries), body)
        }
    }

    package func contents(of block: IndexRoot.Block) throws(CapsuleError) -> IndexContents {
        try decoded(block) { (bytes) throws(IndexBlock.Problem) in
            try IndexContents(decoding: bytes, count: Int(block.entries))
        }
    }

    /// Returns true if the root tells the block's likeness as it is.
    package func hasLikeness(_ block: IndexRoot.Block) throws(CapsuleError) -> Bool {
        BlockLikeness(of: try raw(block)) == block.likeness
    }

    package func hasSameEntries(
        _ block: IndexRoot.Block, _ entries: ArraySlice<TreeEntry>, times: Bool
    ) throws(CapsuleError) -> Bool {
        try decoded(block) { (bytes) throws(IndexBlock.Problem) in
            try IndexBlock.hasSameEntries(bytes, count: Int(block.entries), entries, times: times)
        }
    }

    private func decoded<Decoded>(
        _ block: IndexRoot.Block, _ decode: (UnsafeRawBufferPointer) throws(IndexBlock.Problem) -> Decoded
    ) throws(CapsuleError) -> Decoded {
        let raw = try raw(block)
        do throws(IndexBlock.Problem) {
            return try raw.withRawBytes(decode)
        } catch {
            throw CapsuleError(.damaged, "an index block at byte \(block.offset) is damaged: \(error.message)", path: file.path)
        }
    }

    private func raw(_ block: IndexRoot.Block) throws(CapsuleError) -> [UInt8] {
        let span = Footer.FileRange(offset: block.offset, length: UInt64(block.stored), digest: block.digest)
        guard let raw = try metadata.raw(span, .indexBlock, limit: CapsuleLimits.indexBlockLength) else {
            throw damaged("an index block", at: block.offset)
        }
        return raw
    }

    /// Finds an entry, and reports which of some other paths the version has, too. Each block is read once.
    package func find(
        _ path: RelativePath, in part: TreeRoot, of root: IndexRoot, besides others: [RelativePath] = []
    ) throws(CapsuleError) -> (block: IndexBlock, entry: Int, others: [RelativePath])? {
        guard let number = root.block(holding: path, in: part) else { return nil }
        let block = try block(root.blocks[number])
        guard let entry = block.place(of: path, in: part) else { return nil }
        var found: [RelativePath] = []
        for other in others {
            guard let place = root.block(holding: other, in: part) else { continue }
            let near = place == number ? block : try self.block(root.blocks[place])
            if near.place(of: other, in: part) != nil { found.append(other) }
        }
        return (block, entry, found)
    }

    package var tooLongIndex: CapsuleError {
        CapsuleError(.damaged, "its index holds more than \(CapsuleLimits.indexLength >> 30) GiB", path: file.path)
    }

    private func damaged(_ what: String, at offset: UInt64) -> CapsuleError {
        CapsuleError(.damaged, "\(what) at byte \(offset) is damaged", path: file.path)
    }
}
