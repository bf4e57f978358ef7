package import CapsulePropertyList

/// The description of one version of a capsule (docs/format.md, section 6).
package struct Manifest: Hashable, Sendable {
    /// The maximum length of a manifest, in bytes (docs/format.md, section 13).
    package static let maximumLength = 64 << 20
    package static let formatVersion: Int64 = 1

    package var version: UInt32
    /// The container's name, which precedes `.xcappdata` in the paths of the tar stream.
    package var name: [UInt8]
    package var label: VersionLabel?
    package var note: PlistString?
    package var captured: Timestamp
    package var source: SourceDescription
    package var layout: ContainerLayout
    /// The identifiers of the app groups, sorted by bytes. The identifier at index `n` belongs to the root
    /// ``TreeRoot/group(_:)`` of `n`.
    package var groups: [[UInt8]]
    /// The digest of all entries of the tree and the groups, without their times (docs/format.md, section 9).
    package var treeDigest: ContentDigest
    /// The digest of the same entries without their times, modes and attributes.
    package var contentDigest: ContentDigest
    package var indexDigest: ContentDigest
    package var entries: UInt64
    package var bytes: UInt64
    package var omitted: [Omission]
    /// The overlays that belong to the version, in order, each as a document that ``Overlay`` reads.
    package var overlays: [PlistValue]
    /// The document of an overlay capsule, which ``Overlay`` reads, or nil for any other capsule.
    package var overlay: PlistValue?
    /// The keys that this code does not know or does not interpret, kept unchanged.
    package var other: PlistDictionary

    package init(
        version: UInt32, name: [UInt8], label: VersionLabel? = nil, note: PlistString? = nil, captured: Timestamp,
        source: SourceDescription, layout: ContainerLayout, groups: [[UInt8]] = [], treeDigest: ContentDigest,
        contentDigest: ContentDigest, indexDigest: ContentDigest, entries: UInt64, bytes: UInt64, omitted: [Omission] = [],
        overlays: [PlistValue] = [], overlay: PlistValue? = nil, other: PlistDictionary = PlistDictionary()
    ) {
        self.version = version
        self.name = name
        self.label = label
        self.note = note
        self.captured = captured
        self.source = source
        self.layout = layout
        self.groups = groups
        self.treeDigest = treeDigest
        self.contentDigest = contentDigest
        self.indexDigest = indexDigest
        self.entries = entries
        self.bytes = bytes
        self.omitted = omitted
        self.overlays = overlays
        self.overlay = overlay
        self.other = other
    }
}

/// The source of a version, without anything private: no host, no user and no path.
package struct SourceDescription: Hashable, Sendable {
    package var kind: ContainerKind
    /// The form of the archive that the container was in, such as `tar.gz`, or nil if it was not in one.
    package var archive: PlistString?
    package var bundleIdentifier: PlistString?

    package init(kind: ContainerKind, archive: PlistString? = nil, bundleIdentifier: PlistString? = nil) {
        self.kind = kind
        self.archive = archive
        self.bundleIdentifier = bundleIdentifier
    }
}

/// The form of a container.
package struct ContainerKind: RawRepresentable, Hashable, Sendable {
    /// The word in the manifest. A later format may use words that this code does not know.
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A bundle that Xcode downloads: `NAME.xcappdata` with `AppData` inside.
    package static let bundle = ContainerKind(rawValue: "bundle")
    package static let container = ContainerKind(rawValue: "container")
    /// A bare directory that Device Hub downloads, named after the bundle identifier.
    package static let deviceHub = ContainerKind(rawValue: "device-hub")
    /// A simulator's data container, named by a UUID.
    package static let simulator = ContainerKind(rawValue: "simulator")
    /// The `Data` directory of a sandboxed Mac app.
    package static let macData = ContainerKind(rawValue: "mac-data")
    package static let directory = ContainerKind(rawValue: "directory")
}

/// The meaning of a version's paths.
package enum ContainerLayout: String, Hashable, Sendable {
    /// An app's data with `Documents/…`, `Library/…` and so on, stored as a bundle.
    case container
    case directory
}

/// An entry, or a part of one, that a version does not hold as its source had it.
package struct Omission: Hashable, Sendable {
    /// The path of the entry, which is empty for the top directory, or the original name if a tree cannot hold it.
    package let path: [UInt8]
    package var shownPath: [UInt8] { path.isEmpty ? Array(".".utf8) : path }
    /// The reason in a few words, such as `socket` or `excluded by *.tmp`.
    package let reason: String

    /// - Parameters:
    ///   - reason: the reason. It may contain names. Control characters are spelled as `\u{1b}`, because XML cannot hold them.
    package init(path: [UInt8], reason: String) {
        self.path = path
        self.reason = reason.unicodeScalars.map { scalar in
            Self.isPlain(scalar) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }.joined()
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && scalar.value & 0xFFFE != 0xFFFE
    }
}

extension Manifest {
    private enum Key {
        static let formatVersion: PlistString = "FormatVersion"
        static let version: PlistString = "Version"
        static let name: PlistString = "Name"
        static let label: PlistString = "Label"
        static let note: PlistString = "Note"
        static let captured: PlistString = "Captured"
        static let source: PlistString = "Source"
        static let kind: PlistString = "Kind"
        static let archive: PlistString = "Archive"
        static let bundleIdentifier: PlistString = "BundleIdentifier"
        static let layout: PlistString = "Layout"
        static let groups: PlistString = "Groups"
        static let keychain: PlistString = "Keychain"
        static let overlays: PlistString = "Overlays"
        static let overlay: PlistString = "Overlay"
        static let treeDigest: PlistString = "TreeDigest"
        static let contentDigest: PlistString = "ContentDigest"
        static let indexDigest: PlistString = "IndexDigest"
        static let entries: PlistString = "Entries"
        static let bytes: PlistString = "Bytes"
        static let omitted: PlistString = "Omitted"
        static let path: PlistString = "Path"
        static let reason: PlistString = "Reason"

        static let known: Set<PlistString> = [
            formatVersion, version, name, label, note, captured, source, layout, groups, keychain, overlays, overlay, treeDigest,
            contentDigest, indexDigest, entries, bytes, omitted,
        ]
    }

    /// The manifest as a property list, with keys in the order of docs/format.md, section 6.
    package var propertyList: PlistValue {
        var list = PlistDictionary()
        list[Key.formatVersion] = .integer(PlistInteger(Self.formatVersion))
        list[Key.version] = .integer(PlistInteger(UInt64(version)))
        list[Key.name] = .name(name)
        list[Key.label] = label.map { .string(PlistString($0.text)) }
        list[Key.note] = note.map { .string($0) }
        list[Key.captured] = .date(captured.plistDate)
        var sourceList = PlistDictionary()
        sourceList[Key.kind] = .string(PlistString(source.kind.rawValue))
        sourceList[Key.archive] = source.archive.map { .string($0) }
        sourceList[Key.bundleIdentifier] = source.bundleIdentifier.map { .string($0) }
        list[Key.source] = .dictionary(sourceList)
        list[Key.layout] = .string(PlistString(layout.rawValue))
        if !groups.isEmpty { list[Key.groups] = .array(groups.map { .name($0) }) }
        if hasKeychain { list[Key.keychain] = "whole device" }
        if !overlays.isEmpty { list[Key.overlays] = .array(overlays) }
        list[Key.overlay] = overlay
        for (key, value) in other { list[key] = value }
        list[Key.treeDigest] = .string(PlistString(treeDigest.hex))
        list[Key.contentDigest] = .string(PlistString(contentDigest.hex))
        list[Key.indexDigest] = .string(PlistString(indexDigest.hex))
        list[Key.entries] = .integer(PlistInteger(entries))
        list[Key.bytes] = .integer(PlistInteger(bytes))
        if !omitted.isEmpty {
            list[Key.omitted] = .array(
                omitted.map { .dictionary([Key.path: .name($0.path), Key.reason: .string(PlistString($0.reason))]) })
        }
        return .dictionary(list)
    }

    /// Creates a manifest from a property list. Unknown keys are kept in ``other``.
    package init(propertyList: PlistValue) throws(ManifestError) {
        guard case .dictionary(let list) = propertyList else { throw ManifestError(key: nil) }
        let format = try list.integer(Key.formatVersion)
        guard format == UInt64(Self.formatVersion) else { throw ManifestError(key: Key.formatVersion) }
        let sourceList = try list.required(Key.source, \.dictionary)
        var other = PlistDictionary()
        for (key, value) in list where !Key.known.contains(key) { other[key] = value }

        guard let version = UInt32(exactly: try list.integer(Key.version)), version > 0 else {
            throw ManifestError(key: Key.version)
        }
        guard let layout = ContainerLayout(rawValue: try list.required(Key.layout, \.string).string) else {
            throw ManifestError(key: Key.layout)
        }
        guard let captured = Timestamp(plistDate: try list.required(Key.captured, \.date)) else {
            throw ManifestError(key: Key.captured)
        }
        // The container's name and the group identifiers become file names, so one with `..` or several components must be
        // rejected here.
        guard let name = try list.required(Key.name, \.self).nameBytes, Self.isComponent(name) else {
            throw ManifestError(key: Key.name)
        }
        let groups = try list.optional(Key.groups, { $0.array?.every(\.nameBytes) }) ?? []
        guard groups.count <= TreeRoot.maximumGroups, groups.allSatisfy(Self.isComponent),
            zip(groups, groups.dropFirst()).allSatisfy({ $0.isOrderedBefore($1) })
        else { throw ManifestError(key: Key.groups) }
        self.init(
            version: version,
            name: name,
            label: try list.optional(Key.label, { $0.string.flatMap { VersionLabel($0.string) } }),
            note: try list.optional(Key.note, \.string),
            captured: captured,
            source: SourceDescription(
                kind: ContainerKind(rawValue: try sourceList.required(Key.kind, \.string).string),
                archive: try sourceList.optional(Key.archive, \.string),
                bundleIdentifier: try sourceList.optional(Key.bundleIdentifier, \.string)),
            layout: layout,
            groups: groups,
            treeDigest: try list.digest(Key.treeDigest),
            contentDigest: try list.digest(Key.contentDigest),
            indexDigest: try list.digest(Key.indexDigest),
            entries: try list.integer(Key.entries),
            bytes: try list.integer(Key.bytes),
            omitted: try list.optional(Key.omitted, { $0.array?.every(Self.omission(from:)) }) ?? [],
            overlays: try list.optional(Key.overlays, \.array) ?? [],
            overlay: try list.optional(Key.overlay, { $0.dictionary == nil ? nil : $0 }),
            other: other)
    }

    /// True if the version has the keychain of the whole device.
    package var hasKeychain: Bool { groups.contains(ContainerNames.keychain) }

    /// Returns true if a name is one valid component and short enough for the prefixes and suffixes that are added to it.
    private static func isComponent(_ name: [UInt8]) -> Bool {
        name.count <= longestName && (try? RelativePath.root.appending(name)) != nil
    }

    /// The longest name, in bytes. With the extension `.xcappdata`, or as a hidden temporary, every file system accepts it.
    static let longestName = 240

    private static func omission(from value: PlistValue) -> Omission? {
        guard let item = value.dictionary, let path = item[Key.path]?.nameBytes, let reason = item[Key.reason]?.string else {
            return nil
        }
        return Omission(path: path, reason: reason.string)
    }
}

/// An error that reports a malformed manifest.
package struct ManifestError: Error, Hashable, Sendable {
    /// The key that is missing or malformed, or nil if the manifest is not a dictionary.
    package let key: PlistString?

    package var message: String {
        if let key { "the manifest's \(key.string) is missing or malformed" } else { "the manifest is not a dictionary" }
    }
}

extension PlistDictionary {
    fileprivate func required<Value>(_ key: PlistString, _ form: (PlistValue) -> Value?) throws(ManifestError) -> Value {
        guard let value = self[key].flatMap(form) else { throw ManifestError(key: key) }
        return value
    }

    fileprivate func optional<Value>(_ key: PlistString, _ form: (PlistValue) -> Value?) throws(ManifestError) -> Value? {
        guard let value = self[key] else { return nil }
        guard let formed = form(value) else { throw ManifestError(key: key) }
        return formed
    }

    fileprivate func integer(_ key: PlistString) throws(ManifestError) -> UInt64 {
        try required(key, { $0.integer?.uint64 })
    }

    fileprivate func digest(_ key: PlistString) throws(ManifestError) -> ContentDigest {
        try required(key, { $0.string.flatMap { ContentDigest(hex: $0.string) } })
    }
}

extension PlistValue {
    /// Returns a name of any bytes as a value: a string if XML can hold it, otherwise data.
    package static func name(_ bytes: [UInt8]) -> PlistValue {
        guard let string = PlistString(validating: bytes), bytes.isPlainXMLText else { return .data(bytes) }
        return .string(string)
    }

    /// The bytes of a name that ``name(_:)`` wrote.
    package var nameBytes: [UInt8]? {
        if let string { return Array(string.string.utf8) }
        return data
    }
}

extension Array {
    fileprivate func every<Value>(_ form: (Element) -> Value?) -> [Value]? {
        var values: [Value] = []
        for element in self {
            guard let value = form(element) else { return nil }
            values.append(value)
        }
        return values
    }
}

extension Array where Element == UInt8 {
    /// True if XML 1.0 can hold this UTF-8 text unchanged (section 2.2). Text with line ends is stored as data, because XML
    /// readers normalize them.
    fileprivate var isPlainXMLText: Bool {
        for (index, byte) in enumerated() {
            if byte < 0x20 || byte == 0x7F { return false }
            // U+FFFE and U+FFFF are the only three-byte characters outside Char once surrogates are ruled out.
            if byte == 0xEF, index + 2 < count, self[index + 1] == 0xBF, self[index + 2] >= 0xBE { return false }
        }
        return true
    }
}
