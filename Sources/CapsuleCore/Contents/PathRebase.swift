package import CapsulePropertyList

/// Changes paths into the data container of another installation of an app to paths into this one, in texts and property lists.
package struct PathRebase: Sendable {
    package struct Findings: Hashable, Sendable {
        /// The number of texts that lead into the data container of another installation, including those in nested documents.
        package var paths = 0
        /// The number of dictionary keys that lead into one. Keys are never rewritten.
        package var keys = 0
        /// The number of texts that lead into a bundle. They are never rewritten.
        package var bundles = 0
        /// The number of texts that lead into the container of an app group. They are never rewritten.
        package var groups = 0
        /// True if some of the property list was not examined, because it was too large or too deep.
        package var isCut = false

        package init() {}
        package var isEmpty: Bool { self == Findings() }
    }

    /// The maximum depth of nested containers. Deeper values are not examined.
    package static let depth = 128
    /// The maximum number of values that are examined. A binary property list may refer to one object any number of times.
    private static let longestWalk = 1 << 21

    /// The absolute path of the container, without a trailing slash.
    private let target: String
    private let encodedTarget: String

    package init?(target: HostPath) {
        guard let text = String(validating: target.bytes, as: UTF8.self), text.beginsWithSlash else { return nil }
        self.target = text.count > 1 && text.hasSuffix("/") ? String(text.dropLast()) : text
        encodedTarget = PercentEncoding.encoded(self.target)
    }

    func rebased(_ path: ContainerPath) -> String? {
        let container = String(path.container)
        let decoded = path.isURL ? PercentEncoding.decoded(container) : container
        guard path.kind == .data, Self.withoutPrivate(decoded) != Self.withoutPrivate(target) else { return nil }
        guard path.isURL else { return target + path.rest }
        // A URL that was written without escapes is also rewritten without them.
        let isEncoded = !(container + path.rest).utf8.contains { PercentEncoding.isNeeded(for: $0) }
        return "file://" + (isEncoded ? encodedTarget : target) + path.rest
    }

    /// Returns a path without `/private`, because macOS and iOS know `/var` as `/private/var` too.
    private static func withoutPrivate(_ path: String) -> Substring {
        path.hasPrefix("/private/") ? path.dropFirst("/private".count) : path[...]
    }

    /// Returns a value in which every text, and every property list in data, leads into this container. The value is nil if
    /// nothing changes.
    ///
    /// Keys are not changed. In a keyed archive each text occurs once, among its objects.
    package func rebased(_ value: PlistValue) -> (value: PlistValue?, findings: Findings) {
        var walk = Walk(rebase: self)
        let changed = walk.rebased(value, depth: 0)
        return (changed, walk.findings)
    }

    /// Returns the bytes of a property list with its paths rewritten and as few other changes as possible. The bytes are nil if
    /// nothing changes.
    package func rebased(_ bytes: [UInt8]) throws(PlistError) -> (bytes: [UInt8]?, findings: Findings) {
        let document = try PlistDocument.read(bytes, accepting: PlistFormat.xmlOrBinary, limits: PlistLimits(depth: Self.depth))
        let (value, findings) = rebased(document.value)
        guard let value else { return (nil, findings) }
        return (try document.bytes(holding: value), findings)
    }

    package static func mayBePropertyList(head: [UInt8]) -> Bool {
        if head.starts(with: binaryMagic) { return true }
        let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
        let start = text.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return xmlStarts.contains { start.starts(with: $0) }
    }

    private static let binaryMagic = Array("bplist".utf8)
    private static let xmlStarts = ["<?xml", "<!DOCTYPE plist", "<!--", "<plist"].map { Array($0.utf8) }

    private struct Walk {
        let rebase: PathRebase
        var findings = Findings()
        private var left = PathRebase.longestWalk

        init(rebase: PathRebase) {
            self.rebase = rebase
        }

        mutating func rebased(_ value: PlistValue, depth: Int) -> PlistValue? {
            guard left > 0, depth <= PathRebase.depth else {
                findings.isCut = true
                return nil
            }
            left -= 1
            switch value {
            case .string(let text): return self.text(text).map { .string($0) }
            case .data(let bytes): return data(bytes, depth: depth).map { .data($0) }
            case .array(let elements): return array(elements, depth: depth).map { .array($0) }
            case .dictionary(let dictionary): return self.dictionary(dictionary, depth: depth).map { .dictionary($0) }
            case .integer, .real, .boolean, .date, .uid, .null: return nil
            }
        }

        private mutating func text(_ text: PlistString) -> PlistString? {
            guard let path = ContainerPath(text.string) else { return nil }
            switch path.kind {
            case .bundle: findings.bundles += 1
            case .group: findings.groups += 1
            case .data:
                guard let rebased = rebase.rebased(path) else { return nil }
                findings.paths += 1
                return PlistString(rebased)
            }
            return nil
        }

        private mutating func array(_ elements: [PlistValue], depth: Int) -> [PlistValue]? {
            var changed: [PlistValue]?
            for (index, element) in elements.enumerated() {
                guard let rebased = rebased(element, depth: depth + 1) else { continue }
                if changed == nil { changed = elements }
                changed?[index] = rebased
            }
            return changed
        }

        private mutating func dictionary(_ dictionary: PlistDictionary, depth: Int) -> PlistDictionary? {
            var changed: PlistDictionary?
            for (key, value) in dictionary {
                if let path = ContainerPath(key.string), rebase.rebased(path) != nil {
                    findings.keys += 1
                }
                guard let rebased = rebased(value, depth: depth + 1) else { continue }
                if changed == nil { changed = dictionary }
                changed?[key] = rebased
            }
            return changed
        }

        private mutating func data(_ bytes: [UInt8], depth: Int) -> [UInt8]? {
            guard bytes.count > GeneratedText.uuidLength,
                PathRebase.mayBePropertyList(head: Array(bytes.prefix(512)))
            else { return nil }
            // A binary property list may refer to the same data any number of times, and it is read each time.
            left -= bytes.count / 16
            guard left > 0,
                let document = try? PlistDocument.read(
                    bytes, accepting: PlistFormat.xmlOrBinary, limits: PlistLimits(depth: PathRebase.depth - depth)),
                let value = rebased(document.value, depth: depth + 1)
            else { return nil }
            return try? document.bytes(holding: value)
        }
    }
}

/// A text that is a path into an app's container, or a file URL of such a path (RFC 8089).
///
/// It begins with the path that the container had when the app was installed: `/var/mobile/Containers/Data/Application/UUID`,
/// with or without a leading `/private`, or on a simulator `…/UDID/data/Containers/Data/Application/UUID`. A text that only
/// contains such a path elsewhere does not count.
package struct ContainerPath {
    package enum Kind: Sendable {
        case data, bundle, group

        fileprivate var marker: [UInt8] {
            switch self {
            case .data: Array("/Data/Application/".utf8)
            case .bundle: Array("/Bundle/Application/".utf8)
            case .group: Array("/Shared/AppGroup/".utf8)
            }
        }
    }

    package let kind: Kind
    let isURL: Bool
    let container: Substring
    let rest: Substring

    private static let scheme = "file://"
    private static let host = "localhost"
    private static let containers = [Array("/Containers".utf8), Array("/containers".utf8)]
    private static let deviceRoots = ["/var/mobile", "/private/var/mobile", "/var", "/private/var"].map { Array($0.utf8) }
    private static let simulatorData = Array("/data".utf8)

    package init?(_ text: String) {
        guard text.utf8.count > GeneratedText.uuidLength, let first = text.utf8.first,
            first == RelativePath.slash || first == UInt8(ascii: "f")
        else { return nil }
        var start = text.startIndex
        isURL = text.utf8.starts(with: Self.scheme.utf8)
        if isURL {
            start = text.utf8.index(start, offsetBy: Self.scheme.utf8.count)
            if text.utf8[start...].starts(with: Self.host.utf8) {
                start = text.utf8.index(start, offsetBy: Self.host.utf8.count)
            }
        }
        let path = Array(text.utf8[start...])
        guard path.first == RelativePath.slash, let (kind, end) = Self.container(in: path) else { return nil }
        self.kind = kind
        let cut = text.utf8.index(start, offsetBy: end)
        container = text[start..<cut]
        rest = text[cut...]
    }

    private static func container(in path: [UInt8]) -> (Kind, Int)? {
        for at in path.indices where path[at] == RelativePath.slash {
            guard containers.contains(where: { path[at...].starts(with: $0) }) else { continue }
            let behind = at + "/Containers".utf8.count
            for kind in [Kind.data, .bundle, .group] where path[behind...].starts(with: kind.marker) {
                let end = behind + kind.marker.count + GeneratedText.uuidLength
                guard end <= path.count, end == path.count || path[end] == RelativePath.slash,
                    isUUID(path[(end - GeneratedText.uuidLength)..<end]), isRoot(path[..<at])
                else { continue }
                return (kind, end)
            }
        }
        return nil
    }

    private static func isRoot(_ path: ArraySlice<UInt8>) -> Bool {
        if deviceRoots.contains(where: { $0.elementsEqual(path) }) { return true }
        guard path.suffix(simulatorData.count).elementsEqual(simulatorData) else { return false }
        let device = path.dropLast(simulatorData.count)
        return device.count > GeneratedText.uuidLength && isUUID(device.suffix(GeneratedText.uuidLength))
            && device[device.endIndex - GeneratedText.uuidLength - 1] == RelativePath.slash
    }

    private static func isUUID(_ text: ArraySlice<UInt8>) -> Bool {
        text.withUnsafeBufferPointer { GeneratedText.isUUID($0) }
    }
}

/// The escapes of a path in a URL (RFC 3986, section 2.1).
private enum PercentEncoding {
    private static let plain = Array("-._~!$&'()*+,=:@/".utf8)

    /// Returns true if a byte must be escaped in a URL's path. A percent sign is assumed to begin an escape.
    static func isNeeded(for byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            false
        case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: ";"): false
        default: !plain.contains(byte)
        }
    }

    static func encoded(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            if isNeeded(for: byte) || "%?#;".utf8.contains(byte) {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the path without escapes. A percent sign that does not begin an escape is kept.
    static func decoded(_ text: String) -> String {
        let source = Array(text.utf8)
        var bytes: [UInt8] = []
        var at = 0
        while at < source.count {
            if source[at] == UInt8(ascii: "%"), at + 2 < source.count, let high = digit(source[at + 1]),
                let low = digit(source[at + 2])
            {
                bytes.append(high << 4 | low)
                at += 3
            } else {
                bytes.append(source[at])
                at += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
