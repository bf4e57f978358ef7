import CapsulePropertyList

/// A name, or several: `*` stands for any run of characters, and nothing else is special.
struct NamePattern: Hashable, Sendable {
    /// The text before the first `*`, between each two, and after the last; a name without `*` is one part.
    private let parts: [PlistString]

    init(_ text: PlistString) {
        parts = text.string.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
            .map { PlistString(String(Substring($0))) }
    }

    /// Whether the whole of a name fits.
    func matches(_ name: PlistString) -> Bool {
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return parts.first == name }
        return name.withUTF8 { name in
            guard name.count >= first.utf8.count + last.utf8.count, name.starts(with: first.utf8) else { return false }
            let end = name.count - last.utf8.count
            guard name[end...].elementsEqual(last.utf8) else { return false }
            var at = first.utf8.count
            // Each part as early as it comes: a later place leaves less for the rest.
            for part in parts.dropFirst().dropLast() where !part.isEmpty {
                guard let found = part.withUTF8({ Self.find($0, in: name, from: at, to: end) }) else { return false }
                at = found + part.utf8.count
            }
            return true
        }
    }

    private static func find(
        _ part: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, from: Int, to end: Int
    ) -> Int? {
        guard end - from >= part.count else { return nil }
        return (from...end - part.count).first { at in part.indices.allSatisfy { part[$0] == text[at + $0] } }
    }
}
