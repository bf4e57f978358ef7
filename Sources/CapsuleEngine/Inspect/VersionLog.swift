import CapsuleArchive
import CapsuleContainers
package import CapsuleCore
package import CapsuleHashing
package import CapsulePropertyList
import CapsuleRemote
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
        /// The file of its signature, which was not checked; nil if there is none.
        package var signature: HostPath?
        /// Nil if the manifest can't be read.
        package let details: Details?
        package let problem: String?
    }

    /// The parts of a manifest that a log shows. A registry lists only some of them.
    package struct Details: Sendable {
        package let name: [UInt8]?
        /// The note, or the beginning of a very long one.
        package let note: PlistString?
        package let captured: Timestamp
        package let source: SourceDescription
        package let layout: ContainerLayout?
        package let entries: UInt64
        package let bytes: UInt64
        package let treeDigest: ContentDigest
        package let contentDigest: ContentDigest
    }

    /// The versions that can be reached from the newest complete one.
    package let versions: [Version]
    /// Notes on the file that are not failures, such as an incomplete tail.
    package let warnings: [CapsuleError]
    /// The problems that may hide versions: a damaged tail, or a footer from which older versions can't be reached.
    package let failures: [CapsuleError]

    /// True if every version could be read, and nothing hides others.
    package var isWhole: Bool { failures.isEmpty && versions.allSatisfy { $0.problem == nil } }

    /// The log of a capsule in a registry is what the registry lists: that takes one request, however many versions there are.
    package init(_ path: HostPath) throws(CapsuleError) {
        if let config = try RemoteName(path.bytes)?.config() {
            self.init(config)
        } else {
            try self.init(try Self.openFile(path))
        }
    }

    private init(_ config: CapsuleConfig) {
        let labels = Dictionary(grouping: config.labelsInEffect, by: \.version).mapValues { $0.map(\.label) }
        let newest = config.versions.last?.number
        let starts = Dictionary(uniqueKeysWithValues: config.segments.map { ($0.upperBound, $0.lowerBound) })
        versions = config.versions.reversed().map { version in
            let isNewest = version.number == newest
            return Version(
                number: version.number, added: version.end.offset - (starts[version.end.offset] ?? 0),
                labels: labels[version.number] ?? [],
                details: Details(
                    name: isNewest ? config.name : nil, note: nil, captured: version.captured,
                    source: SourceDescription(kind: version.source, bundleIdentifier: version.bundle.map { PlistString($0) }),
                    layout: isNewest ? config.layout : nil, entries: version.entries, bytes: version.bytes,
                    treeDigest: version.tree, contentDigest: version.content),
                problem: nil)
        }
        (warnings, failures) = ([], [])
    }

    init(_ capsule: CapsuleReader) throws(CapsuleError) {
        let (footers, failure) = capsule.readableFooters()
        var versions: [Version] = []
        versions.reserveCapacity(footers.count)
        // A manifest that can't be read is a problem of its version.
        let labels = Dictionary(grouping: capsule.readableLabels().labels, by: \.version).mapValues { $0.map(\.label) }
        for footer in footers {
            try CapsuleError.checkInterruption()
            var version = try Self.version(
                footer, of: capsule, labels: labels[footer.version] ?? [], isNewest: versions.isEmpty)
            version.signature = capsule.file.path.signatureIfThere(of: footer.version)
            versions.append(version)
        }
        self.versions = versions
        let (warning, damage) = Self.tail(of: capsule)
        warnings = [warning].compactMap { $0 }
        var failures = [damage, failure?.hinting("the versions listed can still be read")].compactMap { $0 }
        do throws(CapsuleError) {
            try capsule.checkLabelRecords()
        } catch {
            failures.append(error)
        }
        self.failures = failures
    }

    static func open(_ path: HostPath) throws(CapsuleError) -> CapsuleReader {
        guard let name = try RemoteName(path.bytes) else { return try openFile(path) }
        return try CapsuleReader(try name.open())
    }

    private static func openFile(_ path: HostPath) throws(CapsuleError) -> CapsuleReader {
        let file: CapsuleFile
        do throws(CapsuleError) {
            file = try CapsuleFile.open(path)
        } catch {
            throw CapsuleError(error, opening: path) { "'capsule log \($0.shellWord)' lists all versions of the file" }
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
                number: footer.version, added: added, labels: labels, details: Details(manifest), problem: problem)
        } catch {
            guard error.code == .damaged else { throw error }
            return Version(number: footer.version, added: added, labels: labels, details: nil, problem: error.message)
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

extension VersionLog.Details {
    fileprivate init(_ manifest: Manifest) {
        var note = manifest.note
        if let long = note, long.string.utf8.count > Self.longestNote {
            note = PlistString(String(long.string.prefix(Self.longestNote / 4)) + "…")
        }
        self.init(
            name: manifest.name, note: note, captured: manifest.captured, source: manifest.source, layout: manifest.layout,
            entries: manifest.entries, bytes: manifest.bytes, treeDigest: manifest.treeDigest,
            contentDigest: manifest.contentDigest)
    }

    private static let longestNote = 16 << 10
}
