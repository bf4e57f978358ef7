import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore

extension Packer {
    /// Something about a packed version that its author may not expect.
    package enum Warning: Sendable, Equatable {
        /// The given number of bytes of an unfinished append was removed from the end of `path`.
        case tornBytes(UInt64, path: HostPath)
        /// The previous version needs damaged data for the given number of files. `storedAgain` of them are complete in the
        /// version `version`, because the container still has them.
        case damaged(files: Int, storedAgain: Int, version: UInt32, path: HostPath)
        /// A log was left out although its database was packed.
        case leftOutLog(RelativePath)
        case unmatched(Glob)
        /// A database was packed with its log as it is, because the log could not be checkpointed.
        case uncheckpointed(UncheckpointedDatabase)
        /// The container does not have the file that an overlay is for.
        case untested(overlayFor: String)
        /// The version has the device's keychain.
        case keychain
        /// The given number of entries was left out or altered without being asked for.
        case losses(Int)

        package var text: String {
            switch self {
            case .tornBytes(let count, let path):
                "\(QuotedBytes(path.bytes).text): removed \(Quantity.counted(count, "byte", "bytes")) at the end, left by an append that did not finish"
            case .damaged(let files, let storedAgain, let version, let path):
                "\(QuotedBytes(path.bytes).text): the previous version has damaged data in \(Quantity.counted(UInt64(files), "file", "files")); version \(version) stores \(storedAgain) of them again"
            case .leftOutLog(let log):
                "\(QuotedBytes(log.bytes).text): is excluded, so its database is packed without it"
            case .unmatched(let glob):
                "the pattern '\(QuotedBytes(glob.pattern).text)' matches nothing"
            case .uncheckpointed(let database):
                "\(QuotedBytes(database.path.bytes).text): can't be checkpointed: \(database.reason)"
            case .untested(let path):
                "\(path) is not in the container, so the overlay for it was not tested"
            case .keychain:
                "the capsule holds the device's whole keychain, with the logins of all its apps: share it with nobody"
            case .losses(let count):
                "\(Quantity.counted(UInt64(count), "entry was", "entries were")) left out or altered"
            }
        }
    }
}

extension Packer.Outcome {
    /// Everything about the version that its author may not expect, in the order in which it is worth reading.
    package var warnings: [Packer.Warning] {
        var warnings: [Packer.Warning] = []
        if tornBytes > 0 { warnings.append(.tornBytes(tornBytes, path: path)) }
        if damagedFiles > 0 {
            warnings.append(.damaged(files: damagedFiles, storedAgain: storedAgain, version: manifest.version, path: path))
        }
        warnings += leftOutLogs.map { .leftOutLog($0) }
        warnings += unmatchedPatterns.map { .unmatched($0) }
        warnings += uncheckpointed.map { .uncheckpointed($0) }
        warnings += uncheckedOverlays.map { .untested(overlayFor: $0) }
        if manifest.hasKeychain { warnings.append(.keychain) }
        if losses > 0 { warnings.append(.losses(losses)) }
        return warnings
    }
}
