/// A string of a property list, compared by its exact code units.
///
/// `String` treats an NFC `é` and an NFD `é` as equal. In a property list they are two different keys, and so they are in this
/// type.
public struct PlistString: Sendable {
    /// The text. Compare `PlistString` values instead of these strings.
    public let string: String

    /// Creates a string with the exact code units of a text, without normalization.
    public init(_ string: String) {
        var contiguous = string
        contiguous.makeContiguousUTF8()
        self.string = contiguous
    }

    /// Creates a string of these bytes, or returns nil if they are not valid UTF-8.
    public init?(validating utf8: some Collection<UInt8>) {
        guard let string = String(validating: utf8, as: UTF8.self) else { return nil }
        self.string = string
    }

    /// Creates a string of these bytes, or returns nil if they are not valid UTF-8.
    public init?(validating utf8: UnsafeRawBufferPointer) {
        guard let string = String(validating: utf8, as: UTF8.self) else { return nil }
        self.string = string
    }

    /// Creates a string of bytes that are known to be valid UTF-8.
    init(valid utf8: UnsafeRawBufferPointer) {
        // This initializer is specialized in this module. The validating one is not, which makes it much slower.
        string = String(decoding: utf8.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
    }

    /// A view of the UTF-8 bytes, without a copy.
    public var utf8: String.UTF8View { string.utf8 }

    /// True if the string is empty.
    public var isEmpty: Bool { string.isEmpty }

    /// Calls `body` with the UTF-8 bytes, which are valid for the duration of the call and usually not copied.
    public func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = string.utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(string.utf8).withUnsafeBufferPointer(body)
    }
}

extension PlistString: Equatable {
    /// Returns true if both strings have the same bytes.
    public static func == (left: PlistString, right: PlistString) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return left.withUTF8 { leftBytes in
            right.withUTF8 { rightBytes in leftBytes.firstDifference(from: rightBytes) == nil }
        }
    }
}

extension PlistString: Comparable {
    /// Compares by UTF-8 bytes, which is the order of Unicode scalars.
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
    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // A terminator that never occurs in UTF-8 distinguishes ("a", "bc") from ("ab", "c").
        hasher.combine(0xFF as UInt8)
    }
}

extension PlistString: ExpressibleByStringLiteral {
    /// Creates a string from a literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension PlistString: CustomStringConvertible {
    /// The text.
    public var description: String { string }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the first index at which both buffers differ, or nil if the shorter one is a prefix of the other.
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
