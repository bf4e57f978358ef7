package import CapsuleContainers
package import CapsuleCore
import CapsuleDatabases
import CapsulePropertyList
import CapsuleSystem

/// Finds the secrets in a container: what reports hide, and texts that the user names.
package struct SecretScan: Sendable {
    package struct Finding: Hashable, Sendable {
        package enum Reason: String, Sendable {
            case secret, cookie, keychain
            /// A text that the user named.
            case text
        }

        package let path: RelativePath
        /// The place in the file as `show` takes it, such as `/launches` or `ZGIF[7]`; the number of a line of a text; nil for the entry
        /// itself.
        package let place: String?
        package let reason: Reason
        package let count: Int
    }

    package struct Outcome: Sendable {
        /// In the order of the entries.
        package fileprivate(set) var findings: [Finding] = []
        /// The files of no known format, and the pictures.
        package fileprivate(set) var opaque: [RelativePath] = []
        /// The files that could not be searched.
        package fileprivate(set) var failures: [CapsuleError] = []
        /// The secrets by the numbers of the entries.
        var secrets: [Int: FileSecrets] = [:]
        /// Those of the overlays that belong to the container, which are no entries.
        var overlays: [FileSecrets] = []
    }

    /// The texts and names to find, besides what reports hide.
    package struct Rules: Sendable {
        /// Texts that are found in upper and lower case.
        package var texts: [[UInt8]] = []
        /// Patterns of further names of secrets, in lower case.
        package var keys: [Glob] = []
        /// Files, and places in them, as `PATH` or `PATH:PLACE`, in which nothing is found.
        package var kept: [[UInt8]] = []

        package init() {}
    }

    private let opened: OpenedContainer
    private let rules: Rules
    private let kept: KeptPlaces
    private let texts: SecretMatcher
    private let integers: Set<PlistInteger>

    /// - Throws: ``CapsuleError`` for a kept place that the container doesn't have.
    package init(_ opened: OpenedContainer, _ rules: Rules) throws(CapsuleError) {
        self.opened = opened
        self.rules = rules
        kept = try KeptPlaces(rules.kept, in: opened)
        texts = SecretMatcher(rules.texts.flatMap { Redaction.values(for: $0) })
        integers = Redaction.integers(spelled: rules.texts)
    }

    /// - Parameter paths: the paths or patterns to search, with everything below them; empty for everything.
    package func run(
        in paths: [[UInt8]], jobs: Int, progress: (any ProgressObserver)? = nil
    ) throws(CapsuleError) -> Outcome {
        let places = try paths.isEmpty ? nil : NamedPaths(paths, in: opened)
        let numbers = opened.entries.indices.filter { places?.covers(opened.entries[$0]) ?? opened.entries[$0].isListed }
        var outcome = Outcome()
        let all = try ContentWalk(opened: opened).each(of: numbers, jobs: jobs, progress: progress, search)
        for (number, found) in zip(numbers, all) {
            outcome.findings += found.findings
            outcome.opaque += found.opaque
            outcome.failures += found.failures
            if let secrets = found.secrets[number] { outcome.secrets[number] = secrets }
        }
        if paths.isEmpty { outcome.overlays = opened.overlays.map(search) }
        return outcome
    }

    private func search(_ overlay: PlistValue) -> FileSecrets {
        let entry = TreeEntry(path: .root, kind: .file, mode: FileMode(0o600), modified: .epoch)
        let visitor = SecretVisitor(entry, keys: rules.keys, texts: texts, integers: integers, isKept: { _ in false })
        visitor.visit(PlistContents.Value(value: overlay, format: nil, length: Int(ComparedContent.longest)))
        return visitor.secrets
    }

    private func search(_ number: Int) throws(CapsuleError) -> Outcome {
        let entry = opened.entries[number]
        if kept.isKept(entry, at: nil) { return Outcome() }
        let visitor = SecretVisitor(
            entry, keys: rules.keys, texts: texts, integers: integers, isKept: { kept.isKept(entry, at: $0) })
        var failures: [CapsuleError] = []
        do throws(CapsuleError) {
            visitor.visit(entry, try opened.attributes(of: number))
            try ContentWalk(opened: opened).walk(number, visitor)
        } catch {
            if error.code == .interrupted { throw error }
            failures = [error]
        }
        return Outcome(
            findings: visitor.findings, opaque: visitor.isOpaque ? [entry.path] : [], failures: failures,
            secrets: visitor.secrets.count == 0 ? [:] : [number: visitor.secrets])
    }
}

extension OpenedContainer {
    /// Returns the extended attributes of an entry, which the entry of a live file doesn't have.
    func attributes(of number: Int) throws(CapsuleError) -> [ExtendedAttribute] {
        guard entries[number].kind.hasContent, contents.isLive, let read = try open(number).attributes() else {
            return entries[number].attributes
        }
        return read.attributes
    }
}

/// The places that a user wants to keep.
struct KeptPlaces: Sendable {
    private var places: [EntryPath: [String?]] = [:]

    init(_ names: [[UInt8]], in opened: OpenedContainer) throws(CapsuleError) {
        for name in names {
            let (number, place) = try opened.place(named: name)
            places[opened.entries[number].place, default: []].append(place)
        }
    }

    /// - Parameter place: the place in the entry; nil for all of it.
    func isKept(_ entry: TreeEntry, at place: String?) -> Bool {
        if places.isEmpty { return false }
        var parent = entry.path.parent
        while let path = parent, !path.isRoot {
            if places[EntryPath(root: entry.root, path: path)]?.contains(nil) == true { return true }
            parent = path.parent
        }
        guard let kept = places[entry.place] else { return false }
        return kept.contains { kept in
            guard let kept else { return true }
            guard let place, place.hasPrefix(kept) else { return false }
            return [nil, "/", "["].contains(place.dropFirst(kept.count).first)
        }
    }
}
