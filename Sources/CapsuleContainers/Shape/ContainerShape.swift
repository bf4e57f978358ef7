import CapsuleCore
package import CapsulePropertyList

/// The shape of a directory, judged by the names of its entries.
package enum ContainerShape: Hashable {
    /// A bundle: `AppData` and the files beside it.
    case bundle
    /// Bare app data.
    case container
    /// A Mac app's sandbox, whose app data is in its `Data`.
    case macContainer
    case directory

    package static let appData = ContainerNames.appData
    package static let appDataInfo = Array("AppDataInfo.plist".utf8)
    package static let appGroups = ContainerNames.appGroups
    package static let bundleSuffix = Array(".xcappdata".utf8)
    package static let identity = ContainerNames.identity
    static let macIdentity = Array(".com.apple.containermanagerd.metadata.plist".utf8)
    package static let macData = Array("Data".utf8)

    /// Judges a directory.
    ///
    /// - Parameters:
    ///   - name: the name of the directory.
    ///   - directories: the names of the directories in it.
    ///   - files: the names of the files in it.
    /// - Returns: the shape, and the reason in words.
    package static func judge(name: [UInt8], directories: Set<[UInt8]>, files: Set<[UInt8]>) -> (ContainerShape, evidence: String)
    {
        // Leftovers of a transaction don't change the shape.
        let directories = directories.subtracting([ContainerNames.transaction])
        let files = files.subtracting([ContainerNames.transaction])
        if directories.contains(appData) {
            if files.contains(appDataInfo) { return (.bundle, "AppData beside AppDataInfo.plist") }
            if name.count > bundleSuffix.count, name.suffix(bundleSuffix.count).elementsEqual(bundleSuffix) {
                return (.bundle, "AppData in a directory named .xcappdata")
            }
            if directories.count == 1, files.isEmpty { return (.bundle, "AppData alone") }
        }
        if files.contains(identity) { return (.container, "the container manager's metadata plist") }
        if directories.contains(Array("Library".utf8)) {
            for other in ["Documents", "tmp", "SystemData"] where directories.contains(Array(other.utf8)) {
                return (.container, "Library beside \(other)")
            }
        }
        if directories.contains(macData), files.contains(macIdentity) {
            return (.macContainer, "Data beside a Mac container's metadata plist")
        }
        return (.directory, "neither AppData, nor a metadata plist, nor Library with Documents, tmp or SystemData")
    }
}

/// Rules for the names of containers.
enum ContainerNaming {
    /// The length in bytes of the longest name. With `.xcappdata` appended, every file system accepts it.
    private static let limit = 240

    /// Returns the bundle's name without its suffix and date, else the bundle identifier, else the directory's name, else
    /// `container`.
    static func name(ofBundle bundle: [UInt8]?, identifier: [UInt8]?, directory: [UInt8]) -> [UInt8] {
        let stripped = bundle.map { withoutDate(withoutSuffix($0)) }
        for candidate in [stripped, identifier, directory] {
            if let candidate, isUsable(candidate) { return candidate }
        }
        return Array("container".utf8)
    }

    private static func isUsable(_ name: [UInt8]) -> Bool {
        name.count <= limit && !name.contains(UInt8(ascii: "/")) && (try? RelativePath(validating: name)) != nil
    }

    /// Returns a name without `.xcappdata`.
    static func withoutSuffix(_ name: [UInt8]) -> [UInt8] {
        let suffix = ContainerShape.bundleSuffix
        return name.count > suffix.count && name.suffix(suffix.count).elementsEqual(suffix)
            ? Array(name.dropLast(suffix.count)) : name
    }

    /// Returns a name without the ` 2024-05-17 09:30.12.345` that Xcode appends to the identifier.
    static func withoutDate(_ name: [UInt8]) -> [UInt8] {
        let form = Array(" 0000-00-00 00:00.00.000".utf8)
        guard name.count > form.count else { return name }
        let isDate = zip(name.suffix(form.count), form).allSatisfy { byte, expected in
            expected == UInt8(ascii: "0") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == expected
        }
        return isDate ? Array(name.dropLast(form.count)) : name
    }

    /// Returns true if a name is spelled like `com.example.app`.
    static func isReverseDNS(_ name: [UInt8]) -> Bool {
        let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count >= 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { byte in
                        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
                    }
            }
    }

    /// Returns true if a name is a UUID, as simulators name containers.
    static func isUUID(_ name: [UInt8]) -> Bool {
        let form = Array("00000000-0000-0000-0000-000000000000".utf8)
        return name.count == form.count
            && zip(name, form).allSatisfy { byte, expected in
                if expected == UInt8(ascii: "-") { return byte == expected }
                return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
            }
    }
}

/// The facts about an app in its container's own property lists. These are foreign, so whatever can't be read is ignored.
package struct ContainerMetadata {
    /// The size in bytes of the longest document that is read.
    package static let longestDocument: UInt64 = 1 << 20

    package var bundleIdentifier: [UInt8]?

    /// - Parameters:
    ///   - info: the bytes of `AppDataInfo.plist`.
    ///   - identity: the bytes of the container manager's metadata plist.
    package init(info: [UInt8]?, identity: [UInt8]?) {
        bundleIdentifier =
            Self.string(in: info, ["CFBundleIdentifier", "bundleIdentifier"])
            ?? Self.string(in: identity, ["MCMMetadataIdentifier"])
    }

    /// Returns the first string that is not empty among the values of `keys` in a document's top dictionary.
    package static func string(in document: [UInt8]?, _ keys: [PlistString]) -> [UInt8]? {
        guard let document,
            let list = try? PlistDocument.read(document, accepting: PlistFormat.xmlOrBinary).value.dictionary
        else { return nil }
        for key in keys {
            // The manifest must be able to store it.
            if let found = list[key]?.string, !found.string.isEmpty, (try? XMLPlistWriter.write(.string(found))) != nil {
                return Array(found.string.utf8)
            }
        }
        return nil
    }

    /// Returns an `AppDataInfo.plist` for a container that has none; nil if the identifier is not known.
    static func madeUpInfo(identifier: [UInt8]?) -> [UInt8]? {
        guard let identifier, let text = PlistString(validating: identifier) else { return nil }
        return try? XMLPlistWriter.write(.dictionary(["CFBundleIdentifier": .string(text), "bundleIdentifier": .string(text)]))
    }
}
