import CapsuleCore

/// Hidden names beside a target for what is not finished yet. Every temporary file and directory gets its name here.
package enum TemporaryName {
    /// The longest name that every file system takes.
    private static let limit = 255
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// What private files and directories of commands are named after, which become nothing else.
    static let ofScratch = Array("capsule".utf8)

    /// `.NAME.xxxxxxxx.tmp`; `NAME` is cut where the whole would grow too long.
    static func make(for name: [UInt8]) -> [UInt8] {
        let random = (0..<randomCount).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] }
        return start(for: name) + random + end
    }

    /// Whether a name is one that ``make(for:)`` can have made.
    static func isOne(_ temporary: [UInt8], for name: [UInt8]) -> Bool {
        let start = start(for: name)
        guard temporary.count == start.count + randomCount + end.count, temporary.starts(with: start),
            temporary.suffix(end.count).elementsEqual(end)
        else { return false }
        return temporary[start.count...].prefix(randomCount).allSatisfy(alphabet.contains)
    }

    /// The name that a temporary one was made for; nil for what ``make(for:)`` can't have made.
    package static func target(of temporary: [UInt8]) -> [UInt8]? {
        let name = Array(temporary.dropFirst().dropLast(1 + randomCount + end.count))
        return !name.isEmpty && isOne(temporary, for: name) ? name : nil
    }

    private static let randomCount = 8
    private static let end = Array(".tmp".utf8)

    private static func start(for name: [UInt8]) -> [UInt8] {
        Array(".".utf8) + Array(name.prefix(limit - 2 - randomCount - end.count)) + Array(".".utf8)
    }
}
