/// What a member of a capsule carries; the raw value is its letter in the file.
package enum MemberKind: UInt8, Sendable {
    /// A stretch of the tar stream, or of chunks.
    case data = 0x44
    case indexBlock = 0x42
    case indexRoot = 0x49
    case manifest = 0x4D
    case footer = 0x46

    /// Whether it comes in numbered pieces.
    var isPiecewise: Bool { self == .indexBlock || self == .indexRoot || self == .manifest }
}
