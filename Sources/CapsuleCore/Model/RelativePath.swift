/// A path inside a tree: raw bytes, with components joined by `/`. It is never absolute and never has `..`.
///
/// Names in containers may have any bytes except NUL and `/`. Case and Unicode are never normalized. The empty path stands for
/// the tree's own directory and is available only as ``root``.
package struct RelativePath: Hashable, Sendable {
    /// The maximum length of a path in a capsule, in bytes (docs/format.md, section 13).
    package static let maximumLength = 4_096
    /// The maximum length of one component, in bytes.
    package static let maximumComponentLength = 1_023

    package static let root = RelativePath(unchecked: [])

    /// The bytes of the path, without a leading or trailing `/`.
    package let bytes: [UInt8]

    /// Creates a path without checks. The caller made the bytes from valid parts.
    package init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(named name: [UInt8]) {
        precondition(Self.problem(in: name) == nil, "a name of the program is a valid path")
        bytes = name
    }

    /// - Throws: ``PathError`` for an empty or too long path, and for a component that is empty, `.`, `..`, too long, or contains NUL.
    package init(validating bytes: [UInt8]) throws(PathError) {
        if let problem = Self.problem(in: bytes) { throw PathError(problem: problem, bytes: bytes) }
        self.bytes = bytes
    }

    package init(validating buffer: UnsafeRawBufferPointer) throws(PathError) {
        try self.init(validating: [UInt8](buffer))
    }

    /// Creates the path of `path` below a directory, which is one valid component. The result may be longer than the index
    /// allows: it is only used, not stored.
    package init(joining directory: [UInt8], _ path: RelativePath) {
        self.init(unchecked: path.isRoot ? directory : directory + [Self.slash] + path.bytes)
    }

    package func appending(_ name: [UInt8]) throws(PathError) -> RelativePath {
        if name.contains(Self.slash) { throw PathError(problem: .slash, bytes: name) }
        return try RelativePath(validating: bytes.isEmpty ? name : bytes + [Self.slash] + name)
    }

    /// Returns the path of an entry that the system listed in this directory. Its name is a valid component, except that it may
    /// be too long.
    package func appending(listed name: UnsafeRawBufferPointer) throws(PathError) -> RelativePath {
        if name.count > Self.maximumComponentLength { throw PathError(problem: .componentTooLong, bytes: Array(name)) }
        if bytes.isEmpty { return RelativePath(unchecked: Array(name)) }
        let length = bytes.count + 1 + name.count
        if length > Self.maximumLength { throw PathError(problem: .tooLong, bytes: bytes + [Self.slash] + name) }
        let joined = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            _ = buffer[..<bytes.count].initialize(from: bytes)
            buffer.initializeElement(at: bytes.count, to: Self.slash)
            _ = buffer[(bytes.count + 1)...].initialize(from: name)
            count = length
        }
        return RelativePath(unchecked: joined)
    }

    package var isRoot: Bool { bytes.isEmpty }

    /// The last component, which is empty for the root.
    package var name: ArraySlice<UInt8> {
        guard let slash = bytes.lastIndex(of: Self.slash) else { return bytes[...] }
        return bytes[(slash + 1)...]
    }

    package var parent: RelativePath? {
        if bytes.isEmpty { return nil }
        guard let slash = bytes.lastIndex(of: Self.slash) else { return .root }
        return RelativePath(unchecked: Array(bytes[..<slash]))
    }

    package var components: [ArraySlice<UInt8>] { bytes.split(separator: Self.slash, omittingEmptySubsequences: true) }

    package func isAtOrBelow(_ other: RelativePath) -> Bool {
        if other.bytes.isEmpty { return true }
        guard bytes.count >= other.bytes.count, bytes.starts(with: other.bytes) else { return false }
        return bytes.count == other.bytes.count || bytes[other.bytes.count] == Self.slash
    }

    package func relative(to ancestor: RelativePath) -> RelativePath? {
        guard isAtOrBelow(ancestor) else { return nil }
        if ancestor.bytes.isEmpty { return self }
        return RelativePath(unchecked: Array(bytes.dropFirst(ancestor.bytes.count + 1)))
    }

    package static let slash = UInt8(ascii: "/")

    package static func isSound(_ bytes: [UInt8]) -> Bool { problem(in: bytes) == nil }

    private static func problem(in bytes: [UInt8]) -> PathError.Problem? {
        if bytes.isEmpty { return .empty }
        if bytes.count > maximumLength { return .tooLong }
        if bytes[0] == slash { return .absolute }
        return bytes.withUnsafeBytes { buffer in
            var start = 0
            while start <= buffer.count {
                let index = endOfComponent(in: buffer, from: start)
                if index < buffer.count, buffer[index] == 0 { return .nul }
                let length = index - start
                if length == 0 { return .emptyComponent }
                if length > maximumComponentLength { return .componentTooLong }
                if buffer[start] == UInt8(ascii: ".") {
                    if length == 1 { return .dotComponent }
                    if length == 2, buffer[start + 1] == UInt8(ascii: ".") { return .climbing }
                }
                start = index + 1
            }
            return nil
        }
    }

    /// Returns the place of the next slash or NUL; the count if there is none. Looks at eight bytes at a time.
    private static func endOfComponent(in buffer: UnsafeRawBufferPointer, from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var index = start
        while index + 8 <= buffer.count {
            let word = UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let slashes = word ^ ones &* UInt64(slash)
            // The lowest high bit that is set belongs to the first byte that is zero.
            let found = ((word &- ones) & ~word | (slashes &- ones) & ~slashes) & ones << 7
            if found != 0 { return index + found.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < buffer.count, buffer[index] != 0, buffer[index] != slash { index += 1 }
        return index
    }
}

extension RelativePath: Comparable {
    /// Returns true if both paths have the same bytes. Compares them with one memcmp.
    package static func == (lhs: RelativePath, rhs: RelativePath) -> Bool {
        lhs.bytes.count == rhs.bytes.count && lhs.bytes.compareBytes(rhs.bytes) == 0
    }

    /// Compares paths by bytes, a prefix first: the order of the index.
    package static func < (lhs: RelativePath, rhs: RelativePath) -> Bool {
        lhs.bytes.isOrderedBefore(rhs.bytes)
    }
}

extension RelativePath: CustomStringConvertible {
    /// The path for messages. Bytes that are not UTF-8 are replaced.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// An error that reports that bytes are not a valid path in a tree.
package struct PathError: Error, Hashable, Sendable {
    package enum Problem: Hashable, Sendable {
        case empty, tooLong, absolute, emptyComponent, componentTooLong, dotComponent, climbing, nul
        /// The name contains a `/` where a single component is required.
        case slash
    }

    package let problem: Problem
    package let bytes: [UInt8]

    /// A description of the problem that follows the path in a message.
    package var message: String {
        switch problem {
        case .empty: "the name is empty"
        case .tooLong: "the path is longer than \(RelativePath.maximumLength) bytes"
        case .absolute: "the path is absolute"
        case .emptyComponent: "the path has an empty component"
        case .componentTooLong: "a component is longer than \(RelativePath.maximumComponentLength) bytes"
        case .dotComponent: "the path has a component '.'"
        case .climbing: "the path leaves the container with '..'"
        case .nul: "the path contains a NUL byte"
        case .slash: "the name contains a '/'"
        }
    }
}

/// A path on this machine, as given on the command line: any bytes except NUL.
public struct HostPath: Hashable, Sendable {
    /// The bytes that are passed to the system, without a terminating NUL.
    public let bytes: [UInt8]

    /// Creates a path from bytes, without checks.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Creates a path from the UTF-8 of a string.
    public init(_ string: String) {
        bytes = Array(string.utf8)
    }

    /// The path `-`, which stands for standard input or output where that is meaningful.
    package static let standardStream = HostPath("-")

    /// The last component, without trailing slashes. It is empty for `/` and for the empty path.
    package var name: [UInt8] {
        let trimmed = withoutTrailingSlashes
        guard let slash = trimmed.lastIndex(of: RelativePath.slash) else { return Array(trimmed) }
        return Array(trimmed[(slash + 1)...])
    }

    package var directory: HostPath {
        let trimmed = withoutTrailingSlashes
        guard let slash = trimmed.lastIndex(of: RelativePath.slash) else { return HostPath(".") }
        return slash == trimmed.startIndex ? HostPath("/") : HostPath(Array(trimmed[..<slash]))
    }

    package func appending(_ name: [UInt8]) -> HostPath {
        if bytes.isEmpty || bytes == [UInt8(ascii: ".")] { return HostPath(name) }
        return HostPath(bytes.last == RelativePath.slash ? bytes + name : bytes + [RelativePath.slash] + name)
    }

    private var withoutTrailingSlashes: ArraySlice<UInt8> {
        var end = bytes.count
        while end > 1, bytes[end - 1] == RelativePath.slash { end -= 1 }
        return end == 1 && bytes[0] == RelativePath.slash ? [] : bytes[..<end]
    }
}

extension HostPath: CustomStringConvertible {
    /// The path for messages. Bytes that are not UTF-8 are replaced.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// Slashes of pointers and paths. A character after a slash may combine with it, so these look at bytes.
extension String {
    package var beginsWithSlash: Bool { utf8.first == UInt8(ascii: "/") }
    /// The text without its first byte, which must be a slash.
    var withoutSlash: String { String(decoding: utf8.dropFirst(), as: UTF8.self) }
}
