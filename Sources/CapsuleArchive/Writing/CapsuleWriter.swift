package import CapsuleCore
import CapsuleHashing
import CapsulePropertyList
package import CapsuleSystem

/// Writes the members of one version in order: to a new file that is not published yet, or after the last version of an existing one.
/// The caller appends data members. ``finish(root:manifest:)`` appends the metadata and the footer. Use it from one thread only.
package final class CapsuleWriter {
    /// A position of the writer. Members that were appended after it can be removed.
    package struct Mark: Sendable {
        fileprivate let offset: UInt64
        fileprivate let members: Int
        fileprivate let segmentLength: Int
    }

    private let output: any MemberOutput
    package let codec: MemberCodec
    private var offset: UInt64
    private let segmentStart: UInt64
    private let previous: Footer.Previous?
    private let isOverlay: Bool
    /// The number of the version. It is not used for a label record.
    package let version: UInt32
    private let storedBlock: (ContentDigest) throws(CapsuleError) -> IndexRoot.Block?
    package private(set) var members: [MemberReference] = []
    package private(set) var footer: Footer?
    private var segment = SegmentHasher()
    /// The length of the blocks so far, as readers count it.
    private var indexLength: UInt64 = 0

    /// - Parameters:
    ///   - footer: the last footer, which is not changed, or nil for a new file.
    ///   - version: the number of the new version, or nil for the one after the footer's.
    ///   - storedBlock: finds an index block that the file already has, by the digest of its raw bytes. Such a block is
    ///     referred to instead of written again.
    package init(
        output: any MemberOutput, codec: MemberCodec, following footer: Footer? = nil, version: UInt32? = nil,
        isOverlay: Bool = false,
        storedBlock: @escaping (ContentDigest) throws(CapsuleError) -> IndexRoot.Block? = { _ in nil }
    ) {
        self.output = output
        self.codec = codec
        offset = footer?.end ?? 0
        segmentStart = offset
        previous = footer.map { Footer.Previous(offset: $0.offset, digest: SHA256Hasher.digest(of: $0.payload)) }
        self.version = version ?? (footer?.version ?? 0) + 1
        self.isOverlay = isOverlay
        self.storedBlock = storedBlock
    }

    package var mark: Mark { Mark(offset: offset, members: members.count, segmentLength: segment.length) }

    /// Removes the members that were appended after `mark`. Later members are written in their place.
    package func rewind(to mark: Mark) throws(CapsuleError) {
        try output.rewind(to: mark.offset)
        offset = mark.offset
        members.removeSubrange(mark.members...)
        segment.truncate(to: mark.segmentLength)
    }

    package func append(_ encoded: [EncodedMember], _ bytes: UnsafeRawBufferPointer) throws(CapsuleError) {
        try output.write(bytes, at: offset)
        for member in encoded {
            let reference = MemberReference(offset: offset, stored: member.stored, raw: member.raw)
            members.append(reference)
            segment.add(reference, checksum: member.checksum)
            offset += UInt64(member.stored)
        }
    }

    /// Writes the index, the manifest and the footer. The footer is written after everything that it refers to is durable.
    /// - Returns: the length of the file.
    package func finish(
        root makeRoot: (_ appendBlock: (IndexBlock) throws(CapsuleError) -> IndexRoot.Block) throws(CapsuleError) -> IndexRoot,
        manifest makeManifest: (_ root: IndexRoot, _ digest: ContentDigest) -> Manifest
    ) throws(CapsuleError) -> UInt64 {
        let root = try makeRoot { (block) throws(CapsuleError) in try appendBlock(block) }
        let raw = root.encoded()
        guard UInt64(raw.count) <= CapsuleLimits.indexRootLength else {
            throw tooLarge("store so many long paths in one index")
        }
        let rootSpan = try appendPayload(.indexRoot, raw)
        let document = try encoded(makeManifest(root, rootSpan.digest).propertyList)
        guard document.count <= Manifest.maximumLength else {
            throw CapsuleError(.limit, "the manifest would be longer than \(Manifest.maximumLength >> 20) MiB", path: output.path)
        }
        let manifestSpan = try appendPayload(.manifest, document)
        return try finish(root: rootSpan, manifest: manifestSpan)
    }

    /// Writes a label record instead of a version.
    /// - Returns: the length of the file.
    package func finish(_ record: LabelRecord) throws(CapsuleError) -> UInt64 {
        let none = Footer.FileRange(offset: offset, length: 0, digest: .zero)
        let manifest = try appendPayload(.manifest, try encoded(record.propertyList))
        return try finish(root: none, manifest: manifest, isLabel: true)
    }

    private func finish(
        root: Footer.FileRange, manifest: Footer.FileRange, isLabel: Bool = false
    ) throws(CapsuleError) -> UInt64 {
        try output.synchronize()
        try appendFooter(root: root, manifest: manifest, isLabel: isLabel)
        try output.finish(length: offset)
        return offset
    }

    /// Returns the bytes of a manifest as XML. An overlay capsule's manifest is binary if XML can't hold its document, or would
    /// be too long.
    private func encoded(_ manifest: PlistValue) throws(CapsuleError) -> [UInt8] {
        do throws(PlistError) {
            let document = try XMLPlistWriter.write(manifest)
            if !isOverlay || document.count <= Manifest.maximumLength { return document }
        } catch {
            guard isOverlay, error.code == .notRepresentable else {
                throw CapsuleError(.limit, "cannot write the manifest: \(error.message)", path: output.path)
            }
        }
        do throws(PlistError) {
            return try BinaryPlistWriter.write(manifest)
        } catch {
            throw CapsuleError(.limit, "cannot write the manifest: \(error.message)", path: output.path)
        }
    }

    private func appendBlock(_ block: IndexBlock) throws(CapsuleError) -> IndexRoot.Block {
        let raw = block.encoded()
        let length = block.length
        indexLength += length
        // A block that readers would reject must not be written. Only attributes can make an index so large.
        guard max(length, UInt64(raw.count)) <= CapsuleLimits.indexBlockLength, indexLength <= CapsuleLimits.indexLength else {
            throw tooLarge("store so many extended attributes in one index")
        }
        guard block.isSound else {
            throw CapsuleError(.damaged, "an entry's extents don't add up to its size", path: output.path)
        }
        let digest = SHA256Hasher.digest(of: raw)
        if let stored = try storedBlock(digest) { return stored }
        let span = try appendPayload(.indexBlock, raw, digest: digest)
        return IndexRoot.Block(
            offset: span.offset, stored: UInt32(truncatingIfNeeded: span.length), entries: UInt32(block.entries.count),
            digest: digest, likeness: .made(of: raw), firstRoot: block.entries.first?.root ?? .tree,
            firstPath: block.entries.first?.path ?? .root)
    }

    private func tooLarge(_ operation: String) -> CapsuleError { .tooLarge(operation, output.path) }

    private func appendPayload(
        _ kind: MemberKind, _ raw: [UInt8], digest: ContentDigest? = nil
    ) throws(CapsuleError) -> Footer.FileRange {
        let start = offset
        let payload = PayloadCoding.encode(raw, codec: codec)
        let buffer = ByteBuffer(capacity: payload.count + 1_024)
        payload.withUnsafeBytes { bytes in
            MetadataMember.appendPieces(kind, bytes, codec: codec, to: buffer) { range in
                segment.add(kind, buffer.bytes(in: range))
            }
        }
        try output.write(buffer.bytes, at: offset)
        offset += UInt64(buffer.count)
        return Footer.FileRange(offset: start, length: offset - start, digest: digest ?? SHA256Hasher.digest(of: raw))
    }

    private func appendFooter(
        root: Footer.FileRange, manifest: Footer.FileRange, isLabel: Bool
    ) throws(CapsuleError) {
        let footer = Footer(
            codec: codec, isOverlay: isOverlay, isLabel: isLabel, offset: offset, segmentStart: segmentStart,
            version: isLabel ? 0 : version, root: root,
            manifest: manifest,
            previous: previous, segmentDigest: segment.digest)
        self.footer = footer
        let buffer = ByteBuffer(capacity: 512)
        footer.payload.withUnsafeBytes { MetadataMember.append(.footer, $0, codec: codec, to: buffer) }
        try output.write(buffer.bytes, at: offset)
        offset += UInt64(buffer.count)
    }
}

/// The destination of a ``CapsuleWriter``'s bytes.
package protocol MemberOutput: AnyObject {
    var path: HostPath { get }
    /// Writes bytes at an offset. Offsets increase, except after a rewind.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(CapsuleError)
    /// Makes the bytes written so far durable, before bytes that rely on them are written.
    func synchronize() throws(CapsuleError)
    func rewind(to offset: UInt64) throws(CapsuleError)
    func finish(length: UInt64) throws(CapsuleError)
}

/// The defaults for a file that is not visible before it is complete. It is made durable once, when it gets its name.
extension MemberOutput {
    package func synchronize() throws(CapsuleError) {}
    package func rewind(to offset: UInt64) throws(CapsuleError) {}
}

/// A staged file as the output of a capsule writer.
package final class StagedMembers: MemberOutput {
    private let file: StagedFile

    package init(_ file: StagedFile) { self.file = file }
    package var path: HostPath { file.target }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(CapsuleError) {
        try file.write(bytes, at: offset)
    }

    package func finish(length: UInt64) throws(CapsuleError) { try file.truncate(to: length) }
}

/// A spool file as the output of a capsule writer.
package final class SpooledMembers: MemberOutput {
    private let file: SpoolFile

    package init(_ file: SpoolFile) { self.file = file }
    package var path: HostPath { .standardStream }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(CapsuleError) {
        try file.write(bytes, at: offset)
    }

    package func finish(length: UInt64) throws(CapsuleError) { try file.truncate(to: length) }
}
