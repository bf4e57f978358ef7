package import CapsuleCore
import CapsuleSystem

/// Writes tar headers (docs/format.md, section 7). Their names are raw in every locale, which no library's writer supports.
/// The formats are POSIX.1-1988 ustar, and GNU's `L` and `K` for long names and `S` for files with holes (GNU tar manual,
/// "Basic Tar Format" and "Storing Sparse Files").
package enum TarHeader {
    package static let blockLength = 512
    private static let longLinkName = Array("././@LongLink".utf8)
    private static let nameLength = 100
    private static let prefixLength = 155
    private static let gnuMagic = Array("ustar  \0".utf8)
    private static let posixMagic = Array("ustar\u{0}00".utf8)
    /// The number of pieces of data that an `S` header, and each block after it, describes.
    private static let sparseInHeader = 4
    private static let sparseInBlock = 21

    package static func padding(after length: UInt64) -> Int {
        Int((512 - length % 512) % 512)
    }

    /// Appends an entry's header blocks. Its stored bytes, padded to whole blocks, must follow.
    /// - Parameters:
    ///   - path: the path in the stream, with a trailing `/` for a directory.
    ///   - map: the holes of a file, or a map of size 0 for other entries.
    package static func append(_ entry: TreeEntry, path: [UInt8], map: SparseMap, to buffer: ByteBuffer) {
        let data = map.holes.isEmpty ? [] : sparsePieces(of: map)
        let isSparse = !data.isEmpty
        let split = isSparse ? shortName(path) : splitName(path)
        if split == nil { appendLong(UInt8(ascii: "L"), path, to: buffer) }
        if entry.target.count > nameLength { appendLong(UInt8(ascii: "K"), entry.target, to: buffer) }

        let name = split ?? (prefix: [], name: path[..<nameLength])
        appendBlock(to: buffer) { block in
            block.put(name.name, at: 0)
            block.put(name.prefix, at: 345)
            block.putNumber(Int64(entry.mode.rawValue), at: 100, width: 8)
            block.putNumber(Int64(truncatingIfNeeded: map.storedLength), at: 124, width: 12)
            block.putNumber(entry.modified.seconds, at: 136, width: 12)
            block.putType(type(of: entry, isSparse: isSparse), magic: isSparse ? gnuMagic : posixMagic)
            block.put(entry.target.prefix(nameLength), at: 157)
            if isSparse { putSparse(data, realSize: map.size, in: block) }
            block.putChecksum()
        }
        if isSparse { appendSparseBlocks(data.dropFirst(sparseInHeader), to: buffer) }
    }

    private static func type(of entry: TreeEntry, isSparse: Bool) -> UInt8 {
        switch entry.kind {
        case .directory: UInt8(ascii: "5")
        case .link: UInt8(ascii: "2")
        case .file, .identity: isSparse ? UInt8(ascii: "S") : UInt8(ascii: "0")
        }
    }

    private static func shortName(_ path: [UInt8]) -> (prefix: ArraySlice<UInt8>, name: ArraySlice<UInt8>)? {
        path.count <= nameLength ? (prefix: [], name: path[...]) : nil
    }

    /// Returns a name that fits as a whole or divided at a `/`, or nil. Divides at the earliest `/` that leaves a short enough rest.
    private static func splitName(_ path: [UInt8]) -> (prefix: ArraySlice<UInt8>, name: ArraySlice<UInt8>)? {
        if let short = shortName(path) { return short }
        guard path.count <= prefixLength + 1 + nameLength else { return nil }
        let earliest = max(1, path.count - nameLength - 1)
        // The last byte may be a directory's trailing slash, which is part of its name.
        let latest = min(prefixLength, path.count - 2)
        guard earliest <= latest, let cut = (earliest...latest).first(where: { path[$0] == UInt8(ascii: "/") }) else {
            return nil
        }
        return (prefix: path[..<cut], name: path[(cut + 1)...])
    }

    private static func appendLong(_ type: UInt8, _ text: [UInt8], to buffer: ByteBuffer) {
        appendBlock(to: buffer) { block in
            block.put(longLinkName[...], at: 0)
            block.putNumber(0, at: 100, width: 8)
            block.putNumber(Int64(text.count + 1), at: 124, width: 12)
            block.putNumber(0, at: 136, width: 12)
            block.putType(type, magic: gnuMagic)
            block.putChecksum()
        }
        buffer.append(text)
        buffer.appendZeros(1 + padding(after: UInt64(text.count + 1)))
    }

    /// Returns the stored ranges. An empty range at the end marks a hole there.
    private static func sparsePieces(of map: SparseMap) -> [Range<UInt64>] {
        var pieces = map.data
        if pieces.last?.upperBound != map.size { pieces.append(map.size..<map.size) }
        return pieces
    }

    private static func putSparse(_ pieces: [Range<UInt64>], realSize: UInt64, in block: Block) {
        for (index, piece) in pieces.prefix(sparseInHeader).enumerated() { block.putPiece(piece, at: 386 + 24 * index) }
        if pieces.count > sparseInHeader { block.bytes[482] = 1 }
        block.putNumber(Int64(truncatingIfNeeded: realSize), at: 483, width: 12)
    }

    private static func appendSparseBlocks(_ pieces: ArraySlice<Range<UInt64>>, to buffer: ByteBuffer) {
        var rest = pieces
        while !rest.isEmpty {
            let here = rest.prefix(sparseInBlock)
            rest = rest.dropFirst(sparseInBlock)
            let goesOn = !rest.isEmpty
            appendBlock(to: buffer) { block in
                for (index, piece) in here.enumerated() { block.putPiece(piece, at: 24 * index) }
                if goesOn { block.bytes[504] = 1 }
            }
        }
    }

    private static func appendBlock(to buffer: ByteBuffer, _ fill: (Block) -> Void) {
        buffer.append(capacity: blockLength) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            fill(Block(bytes: bytes))
            return blockLength
        }
    }

    /// A header block that is being filled. All fields begin as zeros.
    private struct Block {
        let bytes: UnsafeMutableRawBufferPointer

        func put(_ text: ArraySlice<UInt8>, at offset: Int) {
            text.withUnsafeBytes { source in
                UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<offset + source.count]).copyMemory(from: source)
            }
        }

        func putType(_ type: UInt8, magic: [UInt8]) {
            putNumber(0, at: 108, width: 8)
            putNumber(0, at: 116, width: 8)
            bytes[156] = type
            put(magic[...], at: 257)
        }

        func putPiece(_ piece: Range<UInt64>, at offset: Int) {
            putNumber(Int64(truncatingIfNeeded: piece.lowerBound), at: offset, width: 12)
            putNumber(Int64(truncatingIfNeeded: piece.length), at: offset + 12, width: 12)
        }

        /// Writes octal digits and a NUL if they fit, otherwise base 256 with the first bit set (GNU tar manual, "Extensions").
        func putNumber(_ value: Int64, at offset: Int, width: Int) {
            let digits = width - 1
            var rest = value
            if value >= 0, value >> (3 * Int64(digits)) == 0 {
                for index in stride(from: offset + digits - 1, through: offset, by: -1) {
                    bytes[index] = UInt8(ascii: "0") + UInt8(rest & 7)
                    rest >>= 3
                }
                return
            }
            for index in stride(from: offset + width - 1, through: offset, by: -1) {
                bytes[index] = UInt8(truncatingIfNeeded: rest)
                rest >>= 8
            }
            bytes[offset] |= 0x80
        }

        /// The sum of all bytes. Most words of a header are zero.
        private var sum: Int64 {
            var sum: UInt64 = 0
            for offset in stride(from: 0, to: blockLength, by: 8) {
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                if word == 0 { continue }
                // Adds pairs of bytes, then all pairs into the top sixteen bits.
                let pairs = (word & 0x00FF_00FF_00FF_00FF) &+ (word >> 8 & 0x00FF_00FF_00FF_00FF)
                sum &+= (pairs &* 0x0001_0001_0001_0001) >> 48
            }
            return Int64(sum)
        }

        /// Writes the sum of all bytes, with the field itself as spaces: six digits, NUL, space.
        func putChecksum() {
            let field = 148..<156
            for index in field { bytes[index] = UInt8(ascii: " ") }
            putNumber(sum, at: field.lowerBound, width: 7)
            bytes[154] = 0
        }
    }
}

/// The parts of a file that are zeros and need not be stored: whole aligned blocks of 64 KiB.
package struct SparseMap: Hashable, Sendable {
    package static let blockLength = CapsuleLimits.zerosLength
    package let size: UInt64
    /// The holes in order. No two of them are adjacent.
    package private(set) var holes: [Range<UInt64>]

    package init(size: UInt64) {
        self.size = size
        holes = []
    }

    package mutating func addHole(_ range: Range<UInt64>) {
        if range.isEmpty { return }
        if let last = holes.last, last.upperBound == range.lowerBound {
            holes[holes.count - 1] = last.lowerBound..<range.upperBound
        } else {
            holes.append(range)
        }
    }

    package var data: [Range<UInt64>] {
        var data: [Range<UInt64>] = []
        var at: UInt64 = 0
        for hole in holes {
            if hole.lowerBound > at { data.append(at..<hole.lowerBound) }
            at = hole.upperBound
        }
        if at < size { data.append(at..<size) }
        return data
    }

    package var storedLength: UInt64 { holes.reduce(size) { $0 - $1.length } }

    package init(of bytes: UnsafeRawBufferPointer) {
        self.init(size: UInt64(bytes.count))
        let block = Int(Self.blockLength)
        for start in stride(from: 0, through: bytes.count - block, by: block)
        where Self.isZeros(UnsafeRawBufferPointer(rebasing: bytes[start..<start + block])) {
            addHole(UInt64(start)..<UInt64(start + block))
        }
    }

    package static func isZeros(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        while at + 8 <= bytes.count {
            if bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) != 0 { return false }
            at += 8
        }
        while at < bytes.count {
            if bytes[at] != 0 { return false }
            at += 1
        }
        return true
    }
}

/// The paths of a version's entries in its tar stream.
package struct TarPaths: Sendable {
    /// `NAME.xcappdata` or `NAME`.
    package let top: [UInt8]
    private let layout: ContainerLayout
    private static let slash = UInt8(ascii: "/")
    private static let appData = Array("AppData/".utf8)

    package init(name: [UInt8], layout: ContainerLayout) {
        self.layout = layout
        top = layout == .container ? name + Array(".xcappdata".utf8) : name
    }

    /// Returns the whole path of an entry, with a trailing `/` for a directory.
    package func path(of entry: TreeEntry) -> [UInt8] {
        var path = top
        path.append(Self.slash)
        if layout == .container, entry.root == .tree { path += Self.appData }
        path += entry.path.bytes
        if entry.kind == .directory, !entry.path.isRoot { path.append(Self.slash) }
        return path
    }

    /// Returns the indices of `entries`, which are in the order of the index, in the order of the stream.
    /// - Parameter isTaken: returns true if an entry is to be included.
    package func order(
        of entries: some RandomAccessCollection<TreeEntry>, where isTaken: (Int) -> Bool = { _ in true }
    ) -> [UInt32] {
        var order = (0..<UInt32(entries.count)).filter { isTaken(Int($0)) }
        let start = entries.startIndex
        order.sort {
            isOrdered(entries[entries.index(start, offsetBy: Int($0))], before: entries[entries.index(start, offsetBy: Int($1))])
        }
        return order
    }

    private func isOrdered(_ left: TreeEntry, before right: TreeEntry) -> Bool {
        // The path of the top directory is empty here and would follow names whose first byte is less than a slash.
        if left.path.isRoot || right.path.isRoot { return left.path.isRoot && !right.path.isRoot }
        if left.root == right.root || layout == .directory {
            return TarOrder.isOrdered(
                left.path.bytes, left.kind == .directory, before: right.path.bytes, right.kind == .directory)
        }
        // Entries of different roots are rarely compared: only the bundle's own few entries often meet the others.
        return TarOrder.isOrdered(path(of: left), false, before: path(of: right), false)
    }
}

/// The order of entries in a tar stream: depth first, by bytes, with a directory compared as `name/`.
/// The entries of a directory stay together, so a reader sets the directory's times once, after its last entry.
package enum TarOrder {
    /// Returns true if the first path or name precedes the second one in the stream.
    package static func isOrdered(
        _ left: [UInt8], _ leftIsDirectory: Bool, before right: [UInt8], _ rightIsDirectory: Bool
    ) -> Bool {
        left.withUnsafeBytes { leftBytes in
            right.withUnsafeBytes { isOrdered(leftBytes, leftIsDirectory, before: $0, rightIsDirectory) }
        }
    }

    package static func isOrdered(
        _ left: UnsafeRawBufferPointer, _ leftIsDirectory: Bool, before right: UnsafeRawBufferPointer, _ rightIsDirectory: Bool
    ) -> Bool {
        let shared = min(left.count, right.count)
        if shared > 0, let leftBase = left.baseAddress, let rightBase = right.baseAddress {
            let order = memcmp(leftBase, rightBase, shared)
            if order != 0 { return order < 0 }
        }
        if left.count < right.count { return leftIsDirectory ? UInt8(ascii: "/") <= right[shared] : true }
        if left.count > right.count { return rightIsDirectory ? left[shared] < UInt8(ascii: "/") : false }
        return !leftIsDirectory && rightIsDirectory
    }
}
