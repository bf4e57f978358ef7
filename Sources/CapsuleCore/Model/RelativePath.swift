/// A place inside a tree: raw bytes, components joined by `/`, never climbing and never absolute.
///
/// Names of containers are any bytes but NUL and `/`; nothing here folds case or normalises Unicode. The empty path is the
/// tree's own directory and can only be had as ``root``.
public struct RelativePath: Hashable, Sendable {
    /// The longest path a capsule holds, in bytes (docs/format.md, section 13).
    public static let maximumLength = 4_096
    /// The longest single component, in bytes.
    public static let maximumComponentLength = 1_023

    /// The tree's own directory: no components.
    public static let root = RelativePath(unchecked: [])

    /// The path's bytes, without a leading or trailing `/`.
    public let bytes: [UInt8]

    /// Takes a path that is known to be sound, because it was made of sound parts.
    init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Takes foreign bytes.
    ///
    /// - Throws: ``PathError`` for an empty or over-long path, and for an empty, `.`, `..`, NUL-holding or over-long component.
    public init(validating bytes: [UInt8]) throws(PathError) {
        if let problem = Self.problem(in: bytes) { throw PathError(problem: problem, bytes: bytes) }
        self.bytes = bytes
    }

    /// Takes foreign bytes from a buffer, with the checks of ``init(validating:)``.
    public init(validating buffer: UnsafeRawBufferPointer) throws(PathError) {
        try self.init(validating: [UInt8](buffer))
    }

    /// A sound path below one sound component. The whole may be longer than what the index holds: it is only used, not stored.
    public init(joining directory: [UInt8], _ path: RelativePath) {
        self.init(unchecked: path.isRoot ? directory : directory + [Self.slash] + path.bytes)
    }

    /// The path of a child.
    ///
    /// - Throws: ``PathError`` if `name` is not one sound component, or the whole grows too long.
    public func appending(_ name: [UInt8]) throws(PathError) -> RelativePath {
        if name.contains(Self.slash) { throw PathError(problem: .slash, bytes: name) }
        return try RelativePath(validating: bytes.isEmpty ? name : bytes + [Self.slash] + name)
    }

    /// The path of an entry that the system listed in this directory: its name is a sound component but for its length.
    ///
    /// - Throws: ``PathError`` for a name or a whole that is too long.
    public func appending(listed name: UnsafeRawBufferPointer) throws(PathError) -> RelativePath {
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

    /// Whether this is the tree's own directory.
    public var isRoot: Bool { bytes.isEmpty }

    /// The last component; empty for the root.
    public var name: ArraySlice<UInt8> {
        guard let slash = bytes.lastIndex(of: Self.slash) else { return bytes[...] }
        return bytes[(slash + 1)...]
    }

    /// The directory that holds this path; nil for the root.
    public var parent: RelativePath? {
        if bytes.isEmpty { return nil }
        guard let slash = bytes.lastIndex(of: Self.slash) else { return .root }
        return RelativePath(unchecked: Array(bytes[..<slash]))
    }

    /// The components in order; none for the root.
    public var components: [ArraySlice<UInt8>] {
        bytes.split(separator: Self.slash, omittingEmptySubsequences: true)
    }

    /// Whether this path is `other` or lies below it.
    public func isAtOrBelow(_ other: RelativePath) -> Bool {
        if other.bytes.isEmpty { return true }
        guard bytes.count >= other.bytes.count, bytes.starts(with: other.bytes) else { return false }
        return bytes.count == other.bytes.count || bytes[other.bytes.count] == Self.slash
    }

    /// The path below `ancestor`, or nil if it does not lie at or below it.
    public func relative(to ancestor: RelativePath) -> RelativePath? {
        guard isAtOrBelow(ancestor) else { return nil }
        if ancestor.bytes.isEmpty { return self }
        return RelativePath(unchecked: Array(bytes.dropFirst(ancestor.bytes.count + 1)))
    }

    static let slash = UInt8(ascii: "/")

    /// Whether ``init(validating:)`` takes these bytes.
    package static func isSound(_ bytes: [UInt8]) -> Bool { problem(in: bytes) == nil }

    /// What makes `bytes` no path of a tree, or nil.
    private static func problem(in bytes: [UInt8]) -> PathError.Problem? {
        if bytes.isEmpty { return .empty }
        if bytes.count > maximumLength { return .tooLong }
        if bytes[0] == slash { return .absolute }
        return bytes.withUnsafeBufferPointer { buffer in
            var start = 0
            for index in 0...buffer.count {
                if index < buffer.count {
                    if buffer[index] == 0 { return .nul }
                    if buffer[index] != slash { continue }
                }
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
}

extension RelativePath: Comparable {
    /// By bytes, all at once.
    public static func == (lhs: RelativePath, rhs: RelativePath) -> Bool {
        lhs.bytes.count == rhs.bytes.count && lhs.bytes.compareBytes(rhs.bytes) == 0
    }

    /// By bytes, the shorter first: the order of the index.
    public static func < (lhs: RelativePath, rhs: RelativePath) -> Bool {
        lhs.bytes.isOrderedBefore(rhs.bytes)
    }
}

extension RelativePath: CustomStringConvertible {
    /// For messages: what is no UTF-8 is replaced.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// Why bytes are no path of a tree.
public struct PathError: Error, Hashable, Sendable {
    /// The rule that was broken.
    public enum Problem: Hashable, Sendable {
        /// There is no byte at all.
        case empty
        /// Longer than ``RelativePath/maximumLength``.
        case tooLong
        /// It begins with `/`.
        case absolute
        /// Two `/` in a row, or one at the end.
        case emptyComponent
        /// A component longer than ``RelativePath/maximumComponentLength``.
        case componentTooLong
        /// A component `.`.
        case dotComponent
        /// A component `..`.
        case climbing
        /// A byte 0, which no file system takes.
        case nul
        /// Where a single component is asked for.
        case slash
    }

    /// The rule that was broken.
    public let problem: Problem
    /// The bytes as they came.
    public let bytes: [UInt8]

    /// What is wrong, in words that follow the path in a message.
    public var message: String {
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

/// A path of this machine: any bytes but NUL, as it came from the command line.
public struct HostPath: Hashable, Sendable {
    /// The path as the system takes it, without a closing NUL.
    public let bytes: [UInt8]

    /// Takes bytes as they are.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Takes the UTF-8 of a text.
    public init(_ string: String) {
        bytes = Array(string.utf8)
    }

    /// `-`: standard input or output, where one makes sense.
    public static let standardStream = HostPath("-")

    /// The last component, without trailing slashes; empty for `/` and the empty path.
    public var name: [UInt8] {
        let trimmed = withoutTrailingSlashes
        guard let slash = trimmed.lastIndex(of: RelativePath.slash) else { return Array(trimmed) }
        return Array(trimmed[(slash + 1)...])
    }

    /// The directory part: `.` where the path has none.
    public var directory: HostPath {
        let trimmed = withoutTrailingSlashes
        guard let slash = trimmed.lastIndex(of: RelativePath.slash) else { return HostPath(".") }
        return slash == trimmed.startIndex ? HostPath("/") : HostPath(Array(trimmed[..<slash]))
    }

    /// The path of `name` in this directory.
    public func appending(_ name: [UInt8]) -> HostPath {
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
    /// For messages: what is no UTF-8 is replaced.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
