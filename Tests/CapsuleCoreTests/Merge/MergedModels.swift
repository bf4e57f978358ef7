import CapsuleCore
import CapsuleMerge
import CapsulePropertyList

/// Three trees in memory, and their merge. Contents that begin with `T` can be merged. Those with `C` conflict when they are
/// merged. Those with `DB` are databases, of which `DBT` can be merged.
struct MergedModels {
    let base: TreeModel
    let ours: TreeModel
    let theirs: TreeModel
    /// The files of their units that merged databases refer to.
    var needed: Set<RelativePath> = []

    /// The result of a merge.
    struct Outcome {
        var tree: TreeModel
        let conflicts: [Conflict]
        let problems: [OverlayError]
        let unfit: [String]
    }

    var swapped: MergedModels { MergedModels(base: base, ours: theirs, theirs: ours, needed: needed) }

    private func model(_ side: TreeMerge.Side) -> TreeModel {
        switch side {
        case .base: base
        case .ours: ours
        case .theirs: theirs
        }
    }

    private func bytes(_ side: TreeMerge.Side, _ number: Int?) -> [UInt8]? {
        guard let number else { return nil }
        let model = model(side)
        return model.nodes[model.entries[number].path]?.bytes
    }

    func merge(_ resolutions: [String: Resolution] = [:], _ preferences: [MergePreference] = []) -> Outcome {
        var decisions = MergeDecisions(resolutions: resolutions, preferences: preferences)
        var made: [[UInt8]] = []
        let merge = TreeMerge(base: base.side, ours: ours.side, theirs: theirs.side) { side, number in
            bytes(side, number)?.starts(with: Array("DB".utf8)) ?? false
        }
        let outcome = merge.run(&decisions) {
            (request: TreeMerge.Request, decisions: inout MergeDecisions) -> TreeMerge.ContentMergeResult in
            let own = bytes(.ours, request.files.ours) ?? []
            let other = bytes(.theirs, request.files.theirs) ?? []
            let old = bytes(.base, request.files.base) ?? []
            let marker = request.isUnit || own.starts(with: Array("DB".utf8)) ? Array("DBT".utf8) : Array("T".utf8)
            var bytes: [UInt8]
            if own.starts(with: marker), other.starts(with: marker) {
                let (first, second) = own.lexicographicallyPrecedes(other) ? (own, other) : (other, own)
                bytes = marker + Array("(".utf8) + old + Array("|".utf8) + first + Array("|".utf8) + second + Array(")".utf8)
            } else if own.first == UInt8(ascii: "C"), other.first == UInt8(ascii: "C") {
                let conflict = Conflict(
                    .text, path: request.path, base: .string(PlistString(String(decoding: old, as: UTF8.self))),
                    ours: .string(PlistString(String(decoding: own, as: UTF8.self))),
                    theirs: .string(PlistString(String(decoding: other, as: UTF8.self))), reason: "both changed it")
                let resolution = decisions.resolve(conflict)
                bytes = resolution == .theirs ? other : resolution == .base ? old : resolution == .absent ? [] : own
            } else {
                return .unfit("both changed it, and it can't be merged")
            }
            made.append(bytes)
            return .made(made.count - 1, size: UInt64(bytes.count), digest: TreeModel.digest(of: bytes), needed: needed)
        }
        var tree = ours
        for edit in outcome.edits {
            guard let entry = edit.entry else {
                tree.nodes[edit.place.path] = nil
                continue
            }
            var node = TreeModel.Node(
                kind: entry.kind, mode: entry.mode, attributes: entry.attributes, target: entry.target)
            switch edit.content {
            case .none: break
            case .side(let side, let number): node.bytes = bytes(side, number) ?? []
            case .made(let number): node.bytes = made[number]
            case .bytes(let bytes): node.bytes = bytes
            }
            tree.nodes[edit.place.path] = node
        }
        return Outcome(
            tree: tree, conflicts: decisions.conflicts, problems: outcome.problems,
            unfit: decisions.unfitNumbers)
    }

    /// The same resolution for every conflict.
    func merge(all resolution: Resolution) -> Outcome {
        merge(Dictionary(uniqueKeysWithValues: (1...200).map { (String($0), resolution) }))
    }
}

extension TreeModel {
    /// Creates a tree from paths, each with a letter for its kind and a word for its content: `f:cat` is a file, `x:cat` a file
    /// with another mode, `d` a directory, `p` a directory with another mode, `l:target` a link. Parent directories are created.
    init(_ lines: [String: String]) throws {
        self.init()
        for (name, text) in lines {
            let path = try RelativePath(validating: Array(name.utf8))
            let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
            let content = Array((parts.count > 1 ? parts[1] : "").utf8)
            switch parts[0] {
            case "d": nodes[path] = .directory()
            case "p": nodes[path] = .directory(0o700)
            case "l": nodes[path] = .link(content)
            case "x": nodes[path] = .file(content, 0o755)
            case "y": nodes[path] = .file(content, 0o600)
            default: nodes[path] = .file(content)
            }
            var parent = path.parent
            while let directory = parent, !directory.isRoot {
                if lines[directory.description] == nil { nodes[directory] = .directory() }
                parent = directory.parent
            }
        }
    }

    /// The tree in this notation, without directories that are not empty.
    var lines: [String: String] {
        var lines: [String: String] = [:]
        let parents = Set(nodes.keys.compactMap(\.parent))
        for (path, node) in nodes {
            let content = String(decoding: node.bytes, as: UTF8.self)
            switch node.kind {
            case .directory where node.mode == FileMode(0o755) && parents.contains(path): continue
            case .directory: lines[path.description] = node.mode == FileMode(0o755) ? "d" : "p"
            case .link: lines[path.description] = "l:" + String(decoding: node.target, as: UTF8.self)
            default:
                let letter = node.mode == FileMode(0o755) ? "x" : node.mode == FileMode(0o600) ? "y" : "f"
                lines[path.description] = "\(letter):\(content)"
            }
        }
        return lines
    }
}

extension Conflict {
    /// `KIND PATH [COLUMN]`
    var line: String { "\(kind.rawValue) \(path?.description ?? "-")" + (column.map { " \($0)" } ?? "") }
}
