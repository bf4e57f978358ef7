import CapsuleCore

/// Hidden names beside a target for what is not finished yet.
enum TemporaryName {
    /// The longest name that every file system takes.
    private static let limit = 255
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// `.NAME.xxxxxxxx.tmp`; `NAME` is cut where the whole would grow too long.
    static func make(for name: [UInt8]) -> [UInt8] {
        let random = (0..<8).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] }
        let suffix = Array(".".utf8) + random + Array(".tmp".utf8)
        return Array(".".utf8) + Array(name.prefix(limit - 1 - suffix.count)) + suffix
    }
}
