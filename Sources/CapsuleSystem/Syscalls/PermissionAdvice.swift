package import CapsuleCore

/// Advice for a call that the system does not permit (EPERM).
/// A mode that denies access gives EACCES, whose own text says enough. EPERM also means that a file belongs to another user.
package enum PermissionAdvice {
    /// The systems with rules of their own.
    package enum Platform: Sendable, CaseIterable {
        case apple, linux

        package static var current: Platform {
            #if canImport(Darwin)
            .apple
            #else
            .linux
            #endif
        }
    }

    /// Returns the advice as a hint: lower case, no period; nil if there is none.
    package static func hint(for operation: String, on path: HostPath, platform: Platform) -> String? {
        if operation.hasPrefix("keep its ") { return keeping }
        let changes = operation == "open for writing" || changingWords.contains(operation.prefix { $0 != " " })
        switch platform {
        case .linux: return changes ? immutable : nil
        case .apple:
            guard isAppData(path) else { return changes ? locked : nil }
            // Both rules can apply to a file that is to be changed. The error number does not say which one did.
            return changes ? "\(locked); otherwise \(fullDiskAccess)" : fullDiskAccess
        }
    }

    private static let keeping = "run the command as the file's owner or as root, or write to a different file"
    private static let immutable = "it may belong to another user, or be immutable: 'lsattr' shows that, 'chattr -i' removes it"
    private static let locked =
        "it may belong to another user, or be locked (uchg): 'ls -lO' shows that, 'chflags nouchg' unlocks it"
    private static let fullDiskAccess =
        "give the terminal Full Disk Access (System Settings > Privacy & Security > Full Disk Access)"

    private static let changingWords: Set<Substring> = [
        "create", "delete", "make", "remove", "rename", "replace", "resize", "set", "write",
    ]

    private static func isAppData(_ path: HostPath) -> Bool {
        let names = path.bytes.split(separator: UInt8(ascii: "/"))
        return zip(names, names.dropFirst()).contains { parent, name in
            parent.elementsEqual("Library".utf8)
                && (name.elementsEqual("Containers".utf8) || name.elementsEqual("Group Containers".utf8))
        }
    }
}
