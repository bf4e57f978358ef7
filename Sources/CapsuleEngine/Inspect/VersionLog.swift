import CapsuleArchive
public import CapsuleCore
import CapsuleSystem
import CapsulePropertyList

/// The versions of a capsule, newest first.
public struct VersionLog: Sendable {
    /// One of them.
    public struct Version: Sendable {
        /// Its number, from 1 on; none is used twice.
        public let number: UInt32
        /// The bytes that it added to the file, from the end of the version before to its own.
        public let added: UInt64
        /// Without its lists, and with the beginning of a very long note; nil if it can't be read.
        public let manifest: Manifest?
        /// What is wrong with it, lower case, no period; nil if nothing was found.
        public let problem: String?
    }

    /// Those that can be reached from the newest whole one.
    public let versions: [Version]
    /// What is odd about the file and no failure: a torn tail.
    public let warnings: [CapsuleError]
    /// What hides versions that there may be: a damaged tail, a footer that the older ones can't be reached from.
    public let failures: [CapsuleError]

    /// Whether all versions there are could be read.
    public var isWhole: Bool { failures.isEmpty && versions.allSatisfy { $0.problem == nil } }

    /// Reads footers, manifests and the roots of the indexes of the capsule at `path`.
    ///
    /// - Throws: ``CapsuleError`` if there is no capsule, or not one whole version.
    public init(_ path: HostPath) throws(CapsuleError) {
        let capsule = try Self.open(path)
        let (footers, failure) = capsule.readableFooters()
        var versions: [Version] = []
        versions.reserveCapacity(footers.count)
        for footer in footers {
            try CapsuleError.checkInterruption()
            versions.append(try Self.version(footer, of: capsule, isNewest: versions.isEmpty))
        }
        self.versions = versions
        let (warning, damage) = Self.tail(of: capsule)
        warnings = [warning].compactMap { $0 }
        failures =
            [
                damage,
                failure.map { CapsuleError($0, hint: "the versions listed can still be read") },
            ].compactMap { $0 }
    }

    private static func open(_ path: HostPath) throws(CapsuleError) -> CapsuleReader {
        let file: CapsuleFile
        do throws(FileSystemError) {
            file = try CapsuleFile(opening: path)
        } catch {
            throw CapsuleError(error, opening: path) { "'capsule log \($0)' lists all versions of the file" }
        }
        do throws(ArchiveError) {
            return try CapsuleReader(file)
        } catch {
            throw CapsuleError(
                error, hint: error.code == .notCapsule ? "only a capsule has versions" : StoredVersion.hint(for: error))
        }
    }

    /// - Parameter isNewest: whether to look at its whole index, too: it is what other verbs take where no version is named.
    private static func version(
        _ footer: Footer, of capsule: CapsuleReader, isNewest: Bool
    ) throws(CapsuleError) -> Version {
        let added = footer.end - footer.segmentStart
        do throws(ArchiveError) {
            let (manifest, root) = try capsule.head(of: footer)
            let problem = isNewest ? problem(of: footer, manifest, root, in: capsule) : nil
            return Version(number: footer.version, added: added, manifest: manifest.summary, problem: problem)
        } catch {
            guard error.code == .damaged else { throw CapsuleError(error) }
            return Version(number: footer.version, added: added, manifest: nil, problem: error.message)
        }
    }

    /// What is wrong with a version's index; nil for nothing.
    private static func problem(
        of footer: Footer, _ manifest: Manifest, _ root: IndexRoot, in capsule: CapsuleReader
    ) -> String? {
        do throws(CapsuleError) {
            try IndexShape(capsule, footer, manifest).check(root, jobs: 1)
            return nil
        } catch {
            // What stops the check stops what comes after it, too.
            if error.code == .interrupted { return nil }
            return error.path.map { $0 == capsule.file.path ? error.message : "\($0): \(error.message)" } ?? error.message
        }
    }

    private static func tail(of capsule: CapsuleReader) -> (warning: CapsuleError?, failure: CapsuleError?) {
        let path = capsule.file.path
        let hint = Container.hint(for: capsule.tail, of: path)
        return switch capsule.tail {
        case .whole, .growing: (nil, nil)
        case .torn(let end):
            (
                CapsuleError(
                    "the tail from byte \(end) to the end is incomplete: an append did not finish", path: path, hint: hint), nil
            )
        case .damaged(let end):
            (nil, CapsuleError("damaged from byte \(end) on: it may contain a version", path: path, hint: hint))
        }
    }
}

extension Manifest {
    /// What a log says of a version: there may be many, and each manifest may be long.
    fileprivate var summary: Manifest {
        var summary = self
        summary.groups = []
        summary.omitted = []
        summary.overlays = []
        summary.overlay = nil
        summary.other = PlistDictionary()
        if let note, note.string.utf8.count > Self.longestNote {
            summary.note = PlistString(String(note.string.prefix(Self.longestNote / 4)) + "…")
        }
        return summary
    }

    /// In bytes of UTF-8.
    private static let longestNote = 16 << 10
}
