package import CapsuleCore
import CapsuleHashing
import CapsulePropertyList

/// The conditions of a match for the value of one side. (docs/diff.md, section 4)
package struct MatchForm: Hashable, Sendable {
    /// A type, a narrower form of text, or the absence of a value.
    enum Shape: String, Hashable, Sendable, CaseIterable {
        case date, uuid
        case containerPath = "container-path"
        case string, integer, real, boolean, data, uid
        /// A date within a day of the time of its container.
        case recent
        /// SQL's NULL, or JSON's null.
        case null
        case absent
    }

    var shape: Shape?
    var like: Glob?
    var minimum: PlistValue?
    var maximum: PlistValue?
    /// The value that matches, with the same type.
    var equals: PlistValue?
    var digest: ContentDigest?
    /// The time of the container, for ``Shape/recent``; nil if it is not known.
    var captured: Double?

    /// Returns true if a date is within a day of the time of its container. If that time is not known, any date is.
    static func isRecent(_ date: Double, _ captured: Double?) -> Bool { captured.map { abs(date - $0) <= 86_400 } ?? true }

    /// Returns true if the value of a side meets all conditions. The value is nil for a side that has none.
    ///
    /// - Parameter assumesUnknown: true to let a value that is hidden or cut match as far as its known part does.
    package func fits(_ shown: DisplayValue?, _ assumesUnknown: Bool = false) -> Bool {
        if assumesUnknown, let shown, shown.whole == nil { return mayFit(shown) }
        if let shape, !shape.fits(shown) { return false }
        if shape == .recent {
            guard case .date(let date)? = shown?.whole else { return false }
            // A copy of a container keeps the date, and often not the times of its files.
            return Self.isRecent(date, captured) || equals == .date(date)
        }
        if let equals, shown?.whole != equals { return false }
        if let digest, shown.flatMap({ MatchForm.digest(of: $0) }) != digest { return false }
        if let like {
            guard case .string(let text)? = shown?.whole, text.withUTF8({ like.matches($0) }) else { return false }
        }
        if let minimum {
            guard let value = shown?.whole, Self.isOrdered(minimum, value) else { return false }
        }
        if let maximum {
            guard let value = shown?.whole, Self.isOrdered(value, maximum) else { return false }
        }
        return true
    }

    /// Returns the SHA-256 digest of a text's UTF-8, of data, of the decimal digits of a UID, or of the JSON that `StableValue` makes of an
    /// array or a dictionary; nil for other values and for a part of one.
    static func digest(of shown: DisplayValue) -> ContentDigest? {
        switch shown {
        case .value(.string(let text)): SHA256Hasher.digest(of: Array(text.utf8))
        case .value(.data(let bytes)): SHA256Hasher.digest(of: bytes)
        case .value(.uid(let uid)): SHA256Hasher.digest(of: Array("\(uid)".utf8))
        case .value(.array), .value(.dictionary): shown.whole.flatMap { StableValue.digest(of: $0) }
        case .external(_, _, let digest), .dataHead(_, _, let digest), .textHead(_, _, let digest): digest
        default: nil
        }
    }

    private func mayFit(_ shown: DisplayValue) -> Bool {
        if let shape, !shape.mayFit(shown) { return false }
        if let digest, let found = Self.digest(of: shown), digest != found { return false }
        let asked = [equals, minimum, maximum].compactMap { $0 }
        switch shown {
        case .hidden, .value:
            return true
        case .textHead(let head, let count, _):
            return asked.allSatisfy { value in
                guard let text = value.string else { return false }
                return text.utf8.count == count && text.utf8.starts(with: head.utf8)
            }
        case .dataHead(let head, let count, _):
            return like == nil
                && asked.allSatisfy { value in
                    guard case .data(let bytes) = value else { return false }
                    return bytes.count == count && bytes.starts(with: head)
                }
        case .external(_, _, let found):
            return like == nil && digest.map { $0 == found } ?? true
                && asked.allSatisfy { if case .data = $0 { true } else { false } }
        }
    }

    /// Returns true if the first value is not greater than the second. Both must be numbers, or both dates. Other values, and NaN,
    /// have no order.
    static func isOrdered(_ left: PlistValue, _ right: PlistValue) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left <= right
        case (.real(let left), .real(let right)): left <= right
        case (.date(let left), .date(let right)): left <= right
        // The comparison is exact, although a real can't hold every integer.
        case (.integer(let left), .real(let right)): right >= 0x1p65 || rounded(right, .down).map { left.wide <= $0 } ?? false
        case (.real(let left), .integer(let right)): left <= -0x1p65 || rounded(left, .up).map { $0 <= right.wide } ?? false
        default: false
        }
    }

    private static func rounded(_ real: Double, _ rule: FloatingPointRoundingRule) -> Int128? {
        real.magnitude < 0x1p65 ? Int128(real.rounded(rule)) : nil
    }
}

extension PlistInteger {
    fileprivate var wide: Int128 { int64.map { Int128($0) } ?? Int128(uint64 ?? 0) }
}

extension MatchForm.Shape {
    /// Returns true if the value of a side is known to have this shape. For a value that is cut, only the type is known. For a
    /// hidden value, nothing is.
    func fits(_ shown: DisplayValue?) -> Bool {
        switch shown {
        case nil: self == .absent
        case .value(let value)?: fits(value)
        case .textHead?: self == .string
        case .dataHead?, .external?: self == .data
        case .hidden?: false
        }
    }

    /// Creates the type that a digest leaves open; nil for an array or a dictionary, whose digests differ by themselves.
    init?(ofDigested shown: DisplayValue) {
        guard let found = [Self.string, .data, .uid].first(where: { $0.fits(shown) }) else { return nil }
        self = found
    }

    /// Returns true for the 16 bytes of a UUID with one of the versions 1 to 8 (RFC 9562, section 4).
    private static func isUUID(_ bytes: [UInt8]) -> Bool {
        bytes.count == 16 && (1...8).contains(bytes[6] >> 4) && bytes[8] >> 6 == 0b10
    }

    func mayFit(_ shown: DisplayValue) -> Bool {
        switch shown {
        case .hidden, .value: self != .absent && self != .null
        // A path may follow the part that was kept. A UUID is too short to be cut.
        case .textHead: self == .string || self == .containerPath
        case .dataHead, .external: self == .data
        }
    }

    private func fits(_ value: PlistValue) -> Bool {
        switch (self, value) {
        case (.date, .date), (.recent, .date), (.string, .string), (.integer, .integer), (.real, .real), (.boolean, .boolean),
            (.data, .data),
            (.null, .null), (.uid, .uid):
            true
        case (.uuid, .data(let bytes)): Self.isUUID(bytes)
        case (.uuid, .string(let text)): text.withUTF8 { GeneratedText.isUUID($0) }
        case (.containerPath, .string(let text)): text.withUTF8 { ContainerPathText.isContained(in: $0) }
        default: false
        }
    }
}

/// Finds paths into containers in texts. These paths change with each installation.
private enum ContainerPathText {
    /// The paths that precede a container's own name. On a device, `/private` and `file://` may come before them.
    private static let deviceRoots = ["/var/mobile/Containers/", "/private/var/mobile/"].map { Array($0.utf8) }
    private static let simulatorRoot = Array("/CoreSimulator/Devices/".utf8)
    private static let simulatorContainers = Array("/data/Containers/".utf8)

    static func isContained(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        for start in text.indices where text[start] == RelativePath.slash {
            let rest = UnsafeBufferPointer(rebasing: text[start...])
            if deviceRoots.contains(where: { rest.starts(with: $0) }) { return true }
            guard rest.starts(with: simulatorRoot) else { continue }
            let device = UnsafeBufferPointer(rebasing: rest[simulatorRoot.count...])
            guard device.count > GeneratedText.uuidLength,
                GeneratedText.isUUID(UnsafeBufferPointer(rebasing: device[..<GeneratedText.uuidLength]))
            else { continue }
            if device[GeneratedText.uuidLength...].starts(with: simulatorContainers) { return true }
        }
        return false
    }
}
