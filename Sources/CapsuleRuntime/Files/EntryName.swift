import Foundation

/// The name of an entry in a directory: its bytes, since equal strings may be different names.
struct EntryName: Hashable, Sendable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ text: String) { bytes = Array(text.utf8) }

    /// For messages: what is not UTF-8 is replaced.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    func hasSuffix(_ suffix: String) -> Bool {
        bytes.count > suffix.utf8.count && bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    func appending(_ suffix: String) -> EntryName { EntryName(bytes: bytes + suffix.utf8) }

    /// The name without its last bytes.
    func dropping(_ suffix: String) -> EntryName { EntryName(bytes: Array(bytes.dropLast(suffix.utf8.count))) }

    /// The name without its extension.
    var stem: EntryName {
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return self }
        return EntryName(bytes: Array(bytes[..<dot]))
    }

    func withCString<Outcome>(_ body: (UnsafePointer<CChar>) -> Outcome) -> Outcome {
        (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return "".withCString(body) }
            return body(base)
        }
    }
}

extension EntryName: Comparable {
    /// By bytes, so that a database comes before its logs.
    static func < (left: EntryName, right: EntryName) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}
