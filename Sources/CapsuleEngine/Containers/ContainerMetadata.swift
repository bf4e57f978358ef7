import CapsuleCore
import CapsulePropertyList

/// What a container's own property lists say of the app. They are foreign: whatever can't be read says nothing.
struct ContainerMetadata {
    /// No longer file is looked at.
    static let longestDocument: UInt64 = 1 << 20

    var bundleIdentifier: [UInt8]?

    /// - Parameters:
    ///   - info: the bytes of `AppDataInfo.plist`.
    ///   - identity: the bytes of the container manager's metadata plist.
    init(info: [UInt8]?, identity: [UInt8]?) {
        bundleIdentifier =
            Self.string(in: info, ["CFBundleIdentifier", "bundleIdentifier"])
            ?? Self.string(in: identity, ["MCMMetadataIdentifier"])
    }

    /// The first of some keys that has a string of any length, in the top dictionary of a document.
    static func string(in document: [UInt8]?, _ keys: [PlistString]) -> [UInt8]? {
        guard let document,
            let list = try? PlistDocument.read(document, accepting: PlistFormat.xmlOrBinary).value.dictionary
        else { return nil }
        for key in keys {
            // The manifest must be able to hold it.
            if let found = list[key]?.string, !found.string.isEmpty, (try? XMLPlistWriter.write(.string(found))) != nil {
                return Array(found.string.utf8)
            }
        }
        return nil
    }

    /// An `AppDataInfo.plist` for a container that has none; nil where nothing is known to put in.
    static func madeUpInfo(identifier: [UInt8]?) -> [UInt8]? {
        guard let identifier, let text = PlistString(validating: identifier) else { return nil }
        return try? XMLPlistWriter.write(.dictionary(["CFBundleIdentifier": .string(text), "bundleIdentifier": .string(text)]))
    }
}
