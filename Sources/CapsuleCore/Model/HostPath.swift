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
