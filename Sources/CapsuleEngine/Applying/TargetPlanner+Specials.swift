import CapsuleCore
import CapsuleFileSystem

extension TargetPlanner {
    /// Refuses to put something where a pipe, a socket or a device is: no container holds one, so none could be brought back.
    ///
    /// Asked once what stays is known: nothing is put there.
    func refuseSpecials() throws(CapsuleError) {
        if target.container.omitted.isEmpty { return }
        let omitted = Set(target.container.omitted.map(\.path))
        var problems: [CapsuleError] = []
        for item in items where item.old == nil {
            guard let entry = item.new.map({ wanted.entries[$0] }), let root = target.root(of: entry.root, in: wanted),
                omitted.contains(entry.path.bytes), let place = target.place(of: entry.path, in: root),
                // What was left out may be something else of that name, beside the tree.
                let kind = try target.roots[place.root].statusIfThere(of: place.path)?.kind, let word = Self.word(for: kind)
            else { continue }
            problems.append(
                CapsuleError(
                    "is a \(word), which a capsule can't contain, where a \(entry.kind.word) must be",
                    path: target.roots[place.root].hostPath(of: place.path), hint: "delete it, then try again"))
        }
        guard var problem = problems.first else { return }
        if problems.count > 1 {
            problem = CapsuleError(
                "has pipes, sockets or devices in \(problems.count) places where other entries must be", path: target.path,
                hint: "delete them, then try again")
            problem.details = problems.map { "\($0.path ?? target.path): \($0.message)" }
        }
        throw problem
    }

    private static func word(for kind: FileStatus.Kind) -> String? {
        switch kind {
        case .pipe: "pipe"
        case .socket: "socket"
        case .device: "device"
        case .file, .directory, .link: nil
        }
    }
}
