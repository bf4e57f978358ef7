package import CapsuleHashing
package import CapsulePropertyList

/// A value as a report shows it: whole, in part, or hidden.
package enum DisplayValue: Hashable, Sendable {
    /// The whole value. `PlistValue.null` stands for SQL's NULL or JSON's null.
    case value(PlistValue)
    /// The beginning of longer data of `count` bytes, and the digest of all of it if an expectation needs it.
    case dataHead([UInt8], count: UInt64, digest: ContentDigest? = nil)
    /// The same of a longer text, whose bytes are UTF-8.
    case textHead(PlistString, count: UInt64, digest: ContentDigest? = nil)
    /// A Core Data blob in a separate file: the name of the file, and its size and digest if the file exists.
    case external(name: String, size: UInt64?, digest: ContentDigest?)
    /// A hidden secret of the named kind, such as `cookie`.
    case hidden(String)

    package var whole: PlistValue? {
        if case .value(let value) = self { value } else { nil }
    }

    /// The value as its type alone, if it is not whole.
    package var withoutDigest: DisplayValue {
        switch self {
        case .dataHead(let head, let count, _): .dataHead(head, count: count)
        case .textHead(let head, let count, _): .textHead(head, count: count)
        case .external(let name, let size, _): .external(name: name, size: size, digest: nil)
        case .value, .hidden: self
        }
    }
}

extension DisplayValue {
    static func bytes(_ bytes: [UInt8]) -> DisplayValue { .value(.data(bytes)) }
    package static func text(_ text: String) -> DisplayValue { .value(.string(PlistString(text))) }
}

/// Tells secrets by the data itself: cookies files, which apps also store in property lists and databases.
package enum SecretData {
    private static let cookies = Array("cook".utf8)

    package static func isCookies(_ bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: cookies) }
}

extension DisplayValue {
    /// Returns the bytes of a picture in a value. Core Data puts a byte before a value that it could also store in a file.
    package static func picture(in bytes: [UInt8]) -> [UInt8] { bytes.first == 1 ? Array(bytes.dropFirst()) : bytes }

    /// The format, the size in pixels and the length of an image, `PNG 6 × 6, 111 bytes`; nil for any other value.
    package var imageText: String? {
        let head: [UInt8]
        let count: UInt64
        switch self {
        case .value(.data(let bytes)): (head, count) = (bytes, UInt64(bytes.count))
        case .dataHead(let start, let length, _): (head, count) = (start, length)
        default: return nil
        }
        guard let image = ImageHeader(Self.picture(in: head)) else { return nil }
        let size = if let width = image.width, let height = image.height { " \(width) × \(height)" } else { "" }
        return "\(image.format.rawValue.uppercased())\(size), \(Quantity.counted(count, "byte", "bytes"))"
    }
}
