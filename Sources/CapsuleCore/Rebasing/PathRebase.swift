package import CapsulePropertyList

/// Turns paths into an app's data container of another installation into paths of this one, in texts and property lists.
package struct PathRebase: Sendable {
    /// What was found in a property list.
    package struct Findings: Hashable, Sendable {
        /// How many texts lead into the data container of another installation, nested documents included.
        package var paths = 0
        /// How many of a dictionary's keys do; they are never rewritten.
        package var keys = 0
        /// How many texts lead into a bundle, which are never rewritten.
        package var bundles = 0
        /// How many lead into the container of an app group, which are never rewritten either.
        package var groups = 0
        /// The UUIDs of the other installations.
        package var installations: Set<String> = []
        /// Whether there was too much to look at all of it.
        package var isCut = false

        package init() {}

        /// Whether there is nothing to tell.
        package var isEmpty: Bool { self == Findings() }
    }

    /// Containers around each other; values that are deeper are not looked at.
    package static let depth = 128
    /// How many values are looked at: a binary property list may name one object any number of times.
    private static let longestWalk = 1 << 21

    /// Where the container is now: from the root of the file system, without a slash at its end.
    private let target: String
    /// The same as it stands in a URL.
    private let encodedTarget: String

    /// - Parameter target: where the container is now; nil comes of a path that is not from the root, or no UTF-8.
    package init?(target: HostPath) {
        guard let text = String(validating: target.bytes, as: UTF8.self), text.hasPrefix("/") else { return nil }
        self.target = text.count > 1 && text.hasSuffix("/") ? String(text.dropLast()) : text
        encodedTarget = PercentEncoding.encoded(self.target)
    }

    // MARK: Texts

    /// A text with this container in place of the other installation's; nil for one that leads into no other.
    func rebased(_ path: ContainerPath) -> String? {
        let container = String(path.container)
        let decoded = path.isURL ? PercentEncoding.decoded(container) : container
        guard path.kind == .data, Self.withoutPrivate(decoded) != Self.withoutPrivate(target) else { return nil }
        guard path.isURL else { return target + path.rest }
        // A URL that was written without escapes is read so as well.
        let isEncoded = !(container + path.rest).utf8.contains { PercentEncoding.isNeeded(for: $0) }
        return "file://" + (isEncoded ? encodedTarget : target) + path.rest
    }

    /// macOS and iOS know `/var` as `/private/var`, too.
    private static func withoutPrivate(_ path: String) -> Substring {
        path.hasPrefix("/private/") ? path.dropFirst("/private".count) : path[...]
    }

    // MARK: Property lists

    /// A value in which every text, and every property list in data, leads into this container; nil where nothing changes.
    ///
    /// Keys stay as they are. Of a keyed archive each text stands once among its objects.
    package func rebased(_ value: PlistValue) -> (value: PlistValue?, findings: Findings) {
        var walk = Walk(rebase: self)
        let changed = walk.rebased(value, depth: 0)
        return (changed, walk.findings)
    }

    /// The bytes of a property list with another value, as little changed as can be; nil where nothing changes.
    ///
    /// - Throws: for what is no property list in XML or binary, or too deep.
    package func rebased(_ bytes: [UInt8]) throws(PlistError) -> (bytes: [UInt8]?, findings: Findings) {
        let document = try PlistDocument.read(
            bytes, accepting: PlistFormat.xmlOrBinary, limits: PlistLimits(depth: Self.depth))
        let (value, findings) = rebased(document.value)
        guard let value else { return (nil, findings) }
        return (try document.bytes(holding: value), findings)
    }

    /// Whether a file that begins so may be a property list in XML or binary.
    package static func mayBePropertyList(head: [UInt8]) -> Bool {
        if head.starts(with: binaryMagic) { return true }
        let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
        let start = text.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return xmlStarts.contains { start.starts(with: $0) }
    }

    private static let binaryMagic = Array("bplist".utf8)
    private static let xmlStarts = ["<?xml", "<!DOCTYPE plist", "<!--", "<plist"].map { Array($0.utf8) }

    /// One look at a value and all in it.
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
                findings.installations.insert(path.installation)
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
                    findings.installations.insert(path.installation)
                }
                guard let rebased = rebased(value, depth: depth + 1) else { continue }
                if changed == nil { changed = dictionary }
                changed?[key] = rebased
            }
            return changed
        }

        /// Data that is a property list itself.
        private mutating func data(_ bytes: [UInt8], depth: Int) -> [UInt8]? {
            guard bytes.count > GeneratedText.uuidLength,
                PathRebase.mayBePropertyList(head: Array(bytes.prefix(512)))
            else { return nil }
            // One object of data may be named any number of times, and is read each time.
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
