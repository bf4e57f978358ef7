import CapsuleCore

/// Names of containers.
enum ContainerNaming {
    /// The longest name: with `.xcappdata` behind it every file system takes it.
    private static let limit = 240

    /// The bundle's name without its date, else the bundle identifier, else the directory's name.
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

    /// Without `.xcappdata`.
    static func withoutSuffix(_ name: [UInt8]) -> [UInt8] {
        let suffix = ContainerShape.bundleSuffix
        return name.count > suffix.count && name.suffix(suffix.count).elementsEqual(suffix)
            ? Array(name.dropLast(suffix.count)) : name
    }

    /// Without the ` 2024-05-17 09:30.12.345` that Xcode puts behind the identifier.
    static func withoutDate(_ name: [UInt8]) -> [UInt8] {
        let form = Array(" 0000-00-00 00:00.00.000".utf8)
        guard name.count > form.count else { return name }
        let isDate = zip(name.suffix(form.count), form).allSatisfy { byte, expected in
            expected == UInt8(ascii: "0") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == expected
        }
        return isDate ? Array(name.dropLast(form.count)) : name
    }

    /// Whether a name is spelled as `com.example.app` is.
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

    /// Whether a name is a UUID, as simulators name containers.
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
