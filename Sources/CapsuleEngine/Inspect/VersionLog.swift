import CapsuleArchive
import CapsuleContainers
package import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

/// The versions of a capsule, newest first.
package struct VersionLog: Sendable {
    package struct Version: Sendable {
        /// The number of the version, from 1. No number is used twice.
        package let number: UInt32
        /// The number of bytes that the version added to the file, from the end of the previous version to its own end.
        package let added: UInt64
        /// The labels that name the version, the one that was given last first.
        package let labels: [VersionLabel]
        /// The manifest without its lists, and with only the beginning of a very long note; nil if it can't be read.
        package let manifest: Manifest?
        package let problem: String?
    }

    /// The versions that can be reached from the newest complete one.
    package let versions: [Version]
    /// Notes on the file that are not failures, such as an incomplete tail.
    package let warnings: [CapsuleError]
    /// The problems that may hide versions: a damaged tail, or a footer from which older versions can't be reached.
    package let failures: [CapsuleError]

    /// True if every version could be read, and nothing hides others.
    package var isWhole: Bool { failures.isEmpty && versions.allSatisfy { $0.problem == nil } }

    package init(_ path: HostPath) throws(CapsuleError) {
        let capsule = try Self.open(path)
        let (footers, failure) = capsule.readableFooters()
        var versions: [Version] = []
        versions.reserveCapacity(footers.count)
        // A manifest that can't be read is a problem of its version.
        let labels = Dictionary(grouping: capsule.readableLabels().labels, by: \.version).mapValues { $0.map(\.label) }
        for footer in footers {
            try CapsuleError.checkInterruption()
            versions.append(
                try Self.version(footer, of: capsule, labels: labels[footer.version] ?? [], isNewest: versions.isEmpty))
        }
        self.versions = versions
        let (warning, damage) = Self.tail(of: capsule)
        warnings = [warning].compactMap { $0 }
        failures =
            [
                damage,
                failure?.hinting("the versions listed can still be read"),
            ].compactMap { $0 }
    }

    private static func open(_ path: HostPath) throws(CapsuleError) -> CapsuleReader {
        let file: CapsuleFile
        do throws(CapsuleError) {
            file = try CapsuleFile.open(path)
        } catch {
            throw CapsuleError(error, opening: path) { "'capsule log \($0)' lists all versions of the file" }
        }
        do throws(CapsuleError) {
            return try CapsuleReader(file)
        } catch {
            throw error.hinting(error.code == .notCapsule ? "only a capsule has versions" : StoredVersion.hint(for: error))
        }
    }

    /// - Parameter isNewest: true to check the whole index, too, because other commands use this version if none is named.
    private static func version(
        _ footer: Footer, of capsule: CapsuleReader, labels: [VersionLabel], isNewest: Bool
    ) throws(CapsuleError) -> Version {
        let added = footer.end - footer.segmentStart
        do throws(CapsuleError) {
            let (manifest, root) = try capsule.head(of: footer)
            let problem = isNewest ? problem(of: footer, manifest, root, in: capsule) : nil
            return Version(
                number: footer.version, added: added, labels: labels, manifest: manifest.summary, problem: problem)
        } catch {
            guard error.code == .damaged else { throw error }
            return Version(number: footer.version, added: added, labels: labels, manifest: nil, problem: error.message)
        }
    }

    private static func problem(
        of footer: Footer, _ manifest: Manifest, _ root: IndexRoot, in capsule: CapsuleReader
    ) -> String? {
        do throws(CapsuleError) {
            try IndexTreeCheck(capsule, footer, manifest).check(root, jobs: 1)
            return nil
        } catch {
            // An interruption also stops the work after this check.
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
    /// The parts of the manifest that a log shows. There may be many versions, and each manifest may be long.
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

    private static let longestNote = 16 << 10
}
