public import CapsuleCore

/// What unpacking came to.
public struct UnpackOutcome: Sendable {
    /// Where the result is.
    public var path: HostPath
    /// How many entries the result has.
    public var entries: UInt64 = 0
    /// The sum of the sizes of its files.
    public var bytes: UInt64 = 0
    /// What is not as it was packed, one sentence each, lower case, no period.
    public var notes: [String] = []
    /// What came along though nobody named it, one sentence each, lower case, no period.
    public var additions: [String] = []

    /// A note on what a live container or archive has and the result has not; nil if there is nothing.
    public static func note(on omitted: [Omission]) -> String? {
        guard let first = omitted.first else { return nil }
        let name = String(decoding: first.shownPath, as: UTF8.self)
        return omitted.count == 1
            ? "1 entry left out or altered: \(name): \(first.reason)"
            : "\(omitted.count) entries left out or altered, first \(name): \(first.reason)"
    }

    /// A note on extended attributes that a file system does not take.
    ///
    /// - Parameters:
    ///   - count: how many there are, one at least.
    ///   - name: of the first of them.
    ///   - path: what it belongs to.
    static func note(onRefused count: Int, first name: [UInt8], of path: RelativePath) -> String {
        let name = String(decoding: name, as: UTF8.self)
        return count == 1
            ? "1 extended attribute not set, because the file system rejects it: \(name) of \(path)"
            : "\(count) extended attributes not set, because the file system rejects them, first \(name) of \(path)"
    }

    /// Takes all parts as they are.
    public init(path: HostPath, entries: UInt64 = 0, bytes: UInt64 = 0, notes: [String] = []) {
        self.path = path
        self.entries = entries
        self.bytes = bytes
        self.notes = notes
    }
}
