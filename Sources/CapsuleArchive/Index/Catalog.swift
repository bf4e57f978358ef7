package import CapsuleCore
import CapsuleHashing

/// A summary of all versions of a capsule with what an append needs to know. It can be recreated from their indexes at any time.
package struct Catalog: Sendable {
    /// The place of a content.
    package struct Content: Sendable {
        package let digest: ContentDigest
        /// The index of its block in ``Catalog/blocks``.
        package let block: UInt32
        package let number: UInt32
    }

    /// The index blocks of all versions, each once, the oldest first.
    package private(set) var blocks: [IndexRoot.Block] = []
    package private(set) var contents: [Content] = []

    /// For each digest, the number of the newest of ``contents`` that has it.
    package private(set) var newest: [ContentDigest: UInt32] = [:]
    /// For each of ``contents`` with an older one of the same digest, the number of the next older one.
    package private(set) var older: [UInt32: UInt32] = [:]
    private var places: [ContentDigest: Int] = [:]

    package init() {}

    /// Adds the blocks that a version added.
    /// Contents that an earlier version has are not added again, because their bytes are stored there. Several files of one
    /// version may have the same content in different places.
    /// - Parameter added: the blocks, each with the digests of the contents that it refers to, in its order.
    package mutating func append(_ added: [(block: IndexRoot.Block, contents: [ContentDigest])]) {
        let known = contents.count
        for (block, own) in added {
            let place = UInt32(blocks.count)
            add(block)
            for (number, digest) in own.enumerated() where newest[digest].map({ $0 >= known }) ?? true {
                add(Content(digest: digest, block: place, number: UInt32(number)))
            }
        }
    }

    private mutating func add(_ block: IndexRoot.Block) {
        places[block.digest] = blocks.count
        blocks.append(block)
    }

    private mutating func add(_ content: Content) {
        let number = UInt32(contents.count)
        if let next = newest.updateValue(number, forKey: content.digest) { older[number] = next }
        contents.append(content)
    }

    /// Returns the newest block with that digest.
    package func block(of digest: ContentDigest) -> IndexRoot.Block? { places[digest].map { blocks[$0] } }
}

extension Catalog {
    private static let magic = Array("CAPCATA\0".utf8)
    private static let revision: UInt32 = 3

    /// Returns the catalogue as bytes with a digest at the end. The form is for a cache and not for other programs.
    package func encoded() -> [UInt8] {
        var bytes = Self.magic
        bytes.reserveCapacity(64 + 128 * blocks.count + 40 * contents.count)
        bytes.appendInteger(Self.revision)
        bytes.appendInteger(UInt32(blocks.count))
        bytes.appendInteger(UInt32(contents.count))
        for block in blocks { block.append(to: &bytes) }
        for content in contents {
            bytes.appendDigest(content.digest)
            bytes.appendInteger(content.block)
            bytes.appendInteger(content.number)
        }
        bytes.appendDigest(SHA256Hasher.digest(of: bytes))
        return bytes
    }

    /// - Returns: nil if the bytes are not exactly what ``encoded()`` returned.
    package init?(decoding bytes: UnsafeRawBufferPointer) {
        let end = bytes.count - ContentDigest.byteCount
        guard end > 0 else { return nil }
        var hasher = SHA256Hasher()
        let body = UnsafeRawBufferPointer(rebasing: bytes[..<end])
        guard ContentDigest(UnsafeRawBufferPointer(rebasing: bytes[end...])) == hasher.digest(of: body) else { return nil }
        do {
            var reader = ByteReader(body)
            guard try reader.slice(Self.magic.count).elementsEqual(Self.magic),
                try reader.integer(UInt32.self) == Self.revision
            else { return nil }
            let counts = (blocks: try reader.integer(UInt32.self), contents: try reader.integer(UInt32.self))
            for _ in 0..<counts.blocks { add(try IndexRoot.Block(from: &reader)) }
            contents.reserveCapacity(min(Int(counts.contents), reader.remaining / 40))
            newest.reserveCapacity(contents.capacity)
            for _ in 0..<counts.contents {
                let content = Content(
                    digest: try reader.digest(), block: try reader.integer(UInt32.self), number: try reader.integer(UInt32.self))
                guard content.block < counts.blocks else { return nil }
                add(content)
            }
            guard reader.remaining == 0 else { return nil }
        } catch {
            return nil
        }
    }
}
