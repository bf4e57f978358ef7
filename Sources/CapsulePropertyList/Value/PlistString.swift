/// A string of a property list, compared by its exact code units.
///
/// `String` holds NFC `é` and NFD `é` to be equal; a property list holds them to be two keys, and so does this type.
public struct PlistString: Sendable {
    /// The text. Compare `PlistString`s, never these.
    public let string: String

    /// The string with the text's own code units; nothing is normalised.
    public init(_ string: String) {
        var contiguous = string
        contiguous.makeContiguousUTF8()
        self.string = contiguous
    }

    /// A string of these bytes, or nil if they are not valid UTF-8.
    public init?(validating utf8: some Collection<UInt8>) {
        guard let string = String(validating: utf8, as: UTF8.self) else { return nil }
        self.string = string
    }

    /// A string of these bytes, or nil if they are not valid UTF-8.
    public init?(validating utf8: UnsafeRawBufferPointer) {
        guard let string = String(validating: utf8, as: UTF8.self) else { return nil }
        self.string = string
    }

    /// A string of bytes that have been found to be valid UTF-8.
    init(valid utf8: UnsafeRawBufferPointer) {
        // This initialiser is specialised in the module and the validating one is not, which makes it far slower.
        string = String(decoding: utf8.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
    }

    /// A view of the UTF-8 bytes; nothing is copied.
    public var utf8: String.UTF8View { string.utf8 }

    /// Whether it has no bytes.
    public var isEmpty: Bool { string.isEmpty }

    /// Calls `body` with the UTF-8 bytes, which are valid for the length of the call; nothing is copied.
    public func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = string.utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(string.utf8).withUnsafeBufferPointer(body)
    }
}

extension PlistString: Equatable {
    /// Whether both have the same bytes.
    public static func == (left: PlistString, right: PlistString) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return left.withUTF8 { leftBytes in
            right.withUTF8 { rightBytes in leftBytes.firstDifference(from: rightBytes) == nil }
        }
    }
}

extension PlistString: Comparable {
    /// Orders by UTF-8 bytes, which is the order of Unicode scalars.
    public static func < (left: PlistString, right: PlistString) -> Bool {
        left.withUTF8 { leftBytes in
            right.withUTF8 { rightBytes in
                guard let place = leftBytes.firstDifference(from: rightBytes) else { return leftBytes.count < rightBytes.count }
                return leftBytes[place] < rightBytes[place]
            }
        }
    }
}

extension PlistString: Hashable {
    /// Feeds the bytes.
    public func hash(into hasher: inout Hasher) {
        withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // A terminator that UTF-8 never holds keeps ("a", "bc") and ("ab", "c") apart.
        hasher.combine(0xFF as UInt8)
    }
}

extension PlistString: ExpressibleByStringLiteral {
    /// The string of a literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension PlistString: CustomStringConvertible {
    /// The text.
    public var description: String { string }
}

extension UnsafeBufferPointer<UInt8> {
    /// The first place within both buffers at which they differ; nil if the shorter one is a prefix of the other.
    func firstDifference(from other: UnsafeBufferPointer<UInt8>) -> Int? {
        let common = Swift.min(count, other.count)
        guard let left = UnsafeRawPointer(baseAddress), let right = UnsafeRawPointer(other.baseAddress), left != right else {
            return nil
        }
        var place = 0
        while place &+ 8 <= common {
            if left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                != right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            {
                break
            }
            place &+= 8
        }
        while place < common {
            if self[place] != other[place] { return place }
            place &+= 1
        }
        return nil
    }
}
