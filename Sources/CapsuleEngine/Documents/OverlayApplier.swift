import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleOverlay
import CapsulePropertyList
import CapsuleSystem

/// Applies overlays in memory to the property lists of a container, and of an app bundle given with it.
struct OverlayApplier {
    /// The treatment of a target whose file does not exist and is not to be created.
    enum MissingFilePolicy {
        case isError
        /// The target is skipped, because its file may exist where the overlay will be applied.
        case skip
    }

    private let context: OverlayContext
    private let missing: MissingFilePolicy
    private let settled: Set<RelativePath>
    private(set) var trees: [Overlay.Root: OverlayTree]
    private(set) var notes: [String] = []
    private(set) var differences: [CapsuleError] = []
    private(set) var unchecked: [String] = []
    /// True if a part of the current overlay was applied. The reason for a part that was not is in `unmetCondition`.
    private var isApplied = false
    private var unmetCondition: String?

    /// - Parameters:
    ///   - bundle: the app bundle, as a plain directory. Without it, targets in an app bundle are skipped with a note.
    init(
        _ container: OpenedContainer, bundle: OpenedContainer?, context: OverlayContext, missing: MissingFilePolicy,
        settled: Set<RelativePath> = []
    ) {
        self.context = context
        self.missing = missing
        self.settled = settled
        trees = [.appData: OverlayTree(container)]
        for (number, identifier) in container.groups.enumerated() {
            guard let root = TreeRoot.group(number), let text = String(validating: identifier, as: UTF8.self) else { continue }
            let path = ContainerShape.appGroups + [UInt8(ascii: "/")] + identifier
            guard let prefix = try? RelativePath(validating: path) else { continue }
            trees[.appGroup(text)] = OverlayTree(container, root: root, prefix: prefix)
        }
        if let bundle { trees[.appBundle] = OverlayTree(bundle) }
    }

    /// Applies one overlay after the previous ones. Values that differ from what it expects are noted in ``differences``.
    mutating func apply(_ overlay: Overlay, named name: String) throws(CapsuleError) {
        (isApplied, unmetCondition) = (false, nil)
        for (number, target) in overlay.targets.enumerated() {
            guard let written = target.path else {
                throw CapsuleError(
                    "\(name): \(overlay.targets.count > 1 ? "target \(number)" : "it") has no Path that names the file to change",
                    hint: overlay.files.isEmpty && overlay.targets.allSatisfy { $0.path == nil }
                        ? "name the file with '--target PATH', or give each target in the document a Path"
                        : "give it a Path in the document")
            }
            guard trees[target.root] != nil else {
                guard target.root == .appBundle else {
                    throw CapsuleError(
                        "\(name): the container has no \(target.root)", hint: "'capsule info' lists its app groups")
                }
                unmetCondition = "it is for the app, and no '--app' names one"
                notes.append("\(name): skipped: it is for AppBundle:\(written); name the app with '--app'")
                continue
            }
            try apply(overlay, number, path: try expanded(written, name), named: name)
        }
        if context.requires, !isApplied, let unmetCondition { throw CapsuleError.notApplied(unmetCondition, name) }
    }

    func refuseDifferences() throws(CapsuleError) {
        guard let first = differences.first else { return }
        guard differences.count > 1 else { throw first }
        var error = CapsuleError(
            "the property lists differ from what the overlay expects in \(differences.count) places", hint: first.hint)
        error.details = differences.map(\.atItsPath)
        throw error
    }

    private func expanded(_ path: String, _ name: String) throws(CapsuleError) -> String {
        guard context.expands else { return path }
        do throws(OverlayError) {
            return try Expansion(values: context.values).expand(path)
        } catch {
            throw CapsuleError("\(name): \(error.message) (in the Path '\(path)')", hint: error.hint)
        }
    }

    private mutating func apply(
        _ overlay: Overlay, _ number: Int, path: String, named name: String
    ) throws(CapsuleError) {
        let target = overlay.targets[number]
        guard var tree = trees[target.root] else { return }
        // The changed copy of the tree is stored at the end.
        defer { trees[target.root] = tree }
        var single = overlay
        single.targets = [target]
        single.targets[0].path = nil
        single.files = []
        for path in try tree.places(of: path) where target.root == .appBundle || !settled.contains(tree.fullPath(path)) {
            let known = tree.edited.count
            var place = try tree.open(path)
            if tree.edited.count > known, let document = tree.edited.last?.document {
                notes += document.warnings.map { CapsuleError.note(of: $0, in: HostPath(path.bytes)) }
            }
            if place == nil, target.create != nil { place = tree.make(path) }
            guard let place else {
                guard missing == .skip else { throw CapsuleError(missing: path, changedBy: name, overlay.form) }
                unchecked.append("\(path)")
                continue
            }
            let edited = tree.edited[place]
            let isMissing = edited.number == nil && !edited.isTouched
            do throws(OverlayError) {
                let result = try single.applied(to: isMissing ? nil : edited.value, in: context)
                if !result.isUntouched { isApplied = true }
                unmetCondition = result.skipped.first ?? unmetCondition
                for reason in result.skipped { notes.append("\(name): skipped for \(path): \(reason)") }
                for note in result.notes { notes.append("\(path): \(note.text)") }
                if !result.isUntouched { tree.set(result.value, encoding: result.encoding, at: place) }
            } catch {
                let part = overlay.targets.count > 1 ? ["Targets", PlistString(String(number))] : []
                let errors = ([error] + error.others).map { CapsuleError($0, of: name, part, on: path, edited.document) }
                guard error.code == .failedTest else {
                    // An error after a failed test may be a consequence of it.
                    if differences.isEmpty { throw errors[0] }
                    return
                }
                differences += errors
            }
        }
    }
}

extension CapsuleError {
    var atItsPath: String { "\(path ?? HostPath([])): \(message)" }

    static func notApplied(_ reason: String, _ name: String) -> CapsuleError {
        CapsuleError("\(name): no part of it applies: \(reason)", hint: "without '--require' such an overlay is skipped")
    }

    fileprivate init(missing path: RelativePath, changedBy name: String, _ form: Overlay.Form) {
        self.init(
            .notFound, "does not exist in the container, but \(name) changes it", path: HostPath(path.bytes),
            hint: form == .document
                ? "to create it, set 'Create' to 'xml' or 'binary' in the overlay"
                : "to create it, write a document with 'CapsuleOverlay', 'Create' and 'Merge'; see 'capsule help overlays'")
    }

    /// - Parameter part: the steps to the target in the overlay that the error is about.
    fileprivate init(
        _ error: OverlayError, of name: String, _ part: [PlistString], on path: RelativePath, _ document: PlistDocument?
    ) {
        var message = error.message
        if let pointer = error.target, !pointer.isRoot { message += " (at \(pointer))" }
        let source = PlistPointer(steps: part + (error.source?.steps ?? []))
        message += " (\(name)\(source.isRoot ? "" : ", \(source)"))"
        self.init(.failure, message, path: HostPath(path.bytes), hint: error.hint)
        if let pointer = error.target, case .text(let line, let column)? = document?.location(of: pointer) {
            place = "\(line):\(column)"
        }
    }
}

extension ContainerEdits {
    /// Writes the new bytes of a property list that overlays changed. A missing file is created, with the missing directories
    /// around it.
    mutating func put(
        _ bytes: [UInt8], for edited: OverlayTree.TargetFile, in tree: OverlayTree, _ moment: Timestamp
    ) throws(CapsuleError) {
        let path = tree.fullPath(edited.path)
        let place = EntryPath(root: tree.root, path: path)
        var entry = self[place]?.entry ?? Self.made(edited.path, at: path, in: tree.root)
        if self[place] == nil { try makeParents(of: place, moment) }
        // The attributes of a file that was not read are unknown, and the file must keep them.
        if let item = self[place], item.entry.digest == .zero, let reading = try item.open(in: base).attributes() {
            entry.attributes = reading.attributes
        }
        (entry.size, entry.digest, entry.modified) = (UInt64(bytes.count), SHA256Hasher.digest(of: bytes), moment)
        self[place] = Item(entry: entry, origin: .bytes(bytes))
    }

    /// Returns the entry of a new file with the mode that apps use: preferences are for the owner only.
    private static func made(_ path: RelativePath, at whole: RelativePath, in root: TreeRoot) -> TreeEntry {
        let isPreference = path.bytes.starts(with: Array("Library/Preferences/".utf8))
        return TreeEntry(
            path: whole, root: root, kind: .file, mode: FileMode(isPreference ? 0o600 : 0o644), modified: Timestamp(seconds: 0))
    }

    private mutating func makeParents(of place: EntryPath, _ moment: Timestamp) throws(CapsuleError) {
        var path = place.path.parent
        while let directory = path, !base.isTop(directory, in: place.root) {
            let parent = EntryPath(root: place.root, path: directory)
            if let known = self[parent] {
                guard known.entry.kind == .directory else {
                    throw CapsuleError("is not a directory, and an overlay creates a file in it", path: HostPath(directory.bytes))
                }
                return
            }
            let entry = TreeEntry(path: directory, root: place.root, kind: .directory, mode: FileMode(0o755), modified: moment)
            self[parent] = Item(entry: entry, origin: .bytes([]))
            path = directory.parent
        }
    }
}
