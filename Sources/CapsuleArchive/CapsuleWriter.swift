package import CapsuleCore
package import CapsuleFileSystem
import CapsuleHashing
import CapsulePropertyList

/// Writes the members of one version, in order, to a file that is not yet anyone's.
///
/// The caller appends data members; ``finish(index:manifest:)`` puts the metadata and the footer behind them. One thread.
package final class CapsuleWriter {
    /// Where the writer stands; what was appended later can be taken back.
    package struct Mark: Sendable {
        fileprivate let offset: UInt64
        fileprivate let members: Int
        fileprivate let digests: Int
    }

    private let output: any MemberOutput
    package let codec: MemberCodec
    private var offset: UInt64
    private let segmentStart: UInt64
    private let previous: Footer.Previous?
    private let version: UInt32
    /// The data members so far.
    package private(set) var members: [MemberReference] = []
    private var digests: [ContentDigest] = []
    /// What the blocks so far hold, as their readers will count it.
    private var indexLength: UInt64 = 0

    /// - Parameters:
    ///   - offset: where the first member goes: 0, or the end of the previous footer.
    ///   - previous: the version before, with its number.
    package init(
        output: any MemberOutput, codec: MemberCodec, at offset: UInt64 = 0,
        after previous: (Footer.Previous, version: UInt32)? = nil
    ) {
        self.output = output
        self.codec = codec
        self.offset = offset
        segmentStart = offset
        self.previous = previous?.0
        version = (previous?.version ?? 0) + 1
    }

    package var mark: Mark { Mark(offset: offset, members: members.count, digests: digests.count) }

    /// Forgets what was appended after `mark`; later members take its place.
    package func rewind(to mark: Mark) {
        offset = mark.offset
        members.removeSubrange(mark.members...)
        digests.removeSubrange(mark.digests...)
    }

    /// Appends data members, which lie one behind the other in `bytes`.
    package func append(_ encoded: [EncodedMember], _ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
        try output.write(bytes, at: offset)
        for member in encoded {
            members.append(MemberReference(offset: offset, stored: member.stored, raw: member.raw))
            digests.append(member.digest)
            offset += UInt64(member.stored)
        }
    }

    /// Writes index, manifest and footer.
    ///
    /// - Parameters:
    ///   - root: the index's root, made by `makeRoot`, which is handed the writer of blocks.
    ///   - manifest: made once the root's digest is known.
    /// - Returns: the length of the file.
    package func finish(
        root makeRoot: (_ appendBlock: (IndexBlock) throws(FileSystemError) -> IndexRoot.Block) throws(FileSystemError) ->
            IndexRoot,
        manifest makeManifest: (_ root: IndexRoot, _ digest: ContentDigest) -> Manifest
    ) throws(ArchiveError) -> UInt64 {
        let root: IndexRoot
        let rootSpan: Footer.Span
        do throws(FileSystemError) {
            root = try makeRoot { (block) throws(FileSystemError) in try appendBlock(block) }
            let raw = root.encoded()
            guard UInt64(raw.count) <= CapsuleLimits.indexRootLength else {
                throw FileSystemError.tooLarge("hold so many long paths in the index of", output.path)
            }
            rootSpan = try appendPayload(.indexRoot, raw)
        } catch {
            throw ArchiveError(error)
        }
        let document: [UInt8]
        do throws(PlistError) {
            document = try XMLPlistWriter.write(makeManifest(root, rootSpan.digest).propertyList)
        } catch {
            throw ArchiveError(.limit, "cannot write the manifest: \(error.message)", path: output.path)
        }
        guard document.count <= Manifest.maximumLength else {
            throw ArchiveError(.limit, "the manifest would be longer than \(Manifest.maximumLength >> 20) MiB", path: output.path)
        }
        do throws(FileSystemError) {
            let manifestSpan = try appendPayload(.manifest, document)
            try appendFooter(root: rootSpan, manifest: manifestSpan)
            try output.finish(length: offset)
        } catch {
            throw ArchiveError(error)
        }
        return offset
    }

    private func appendBlock(_ block: IndexBlock) throws(FileSystemError) -> IndexRoot.Block {
        let raw = block.encoded()
        let length = block.length
        indexLength += length
        // What no reader takes must not be written. Only attributes can make an index so large.
        guard max(length, UInt64(raw.count)) <= CapsuleLimits.indexBlockLength, indexLength <= CapsuleLimits.indexLength else {
            throw .tooLarge("hold so many extended attributes in the index of", output.path)
        }
        let span = try appendPayload(.indexBlock, raw)
        return IndexRoot.Block(
            offset: span.offset, stored: UInt32(truncatingIfNeeded: span.length), entries: UInt32(block.entries.count),
            digest: span.digest, firstRoot: block.entries.first?.root ?? .tree, firstPath: block.entries.first?.path ?? .root)
    }

    /// Appends the members of a payload; the span's digest is of the raw bytes.
    private func appendPayload(_ kind: MemberKind, _ raw: [UInt8]) throws(FileSystemError) -> Footer.Span {
        let start = offset
        let payload = PayloadCoding.encode(raw, codec: codec)
        let buffer = ByteBuffer(capacity: payload.count + 1_024)
        payload.withUnsafeBytes { bytes in
            MetadataMember.appendPieces(kind, bytes, codec: codec, to: buffer) { range in
                var hasher = SHA256Hasher()
                digests.append(hasher.digest(of: buffer.bytes(in: range)))
            }
        }
        try output.write(buffer.bytes, at: offset)
        offset += UInt64(buffer.count)
        return Footer.Span(offset: start, length: offset - start, digest: SHA256Hasher.digest(of: raw))
    }

    private func appendFooter(root: Footer.Span, manifest: Footer.Span) throws(FileSystemError) {
        var segment = SHA256Hasher()
        for digest in digests { segment.update(digest) }
        let footer = Footer(
            codec: codec, offset: offset, segmentStart: segmentStart, version: version, root: root, manifest: manifest,
            previous: previous, segmentDigest: segment.finish())
        let buffer = ByteBuffer(capacity: 512)
        footer.payload.withUnsafeBytes { MetadataMember.append(.footer, $0, codec: codec, to: buffer) }
        try output.write(buffer.bytes, at: offset)
        offset += UInt64(buffer.count)
    }
}
