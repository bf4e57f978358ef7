import CapsuleCore
import CapsuleEngine

/// `capsule diff`
struct DiffCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let (old, new, paths) = try sides()
        switch (ComparedKind(of: old), ComparedKind(of: new)) {
        case (.either, .either) where old == new && HostPath(old) == .standardStream:
            throw CapsuleError(.usage, "standard input can't be compared with itself", hint: "only one of the two can be '-'")
        case (.propertyList, .propertyList), (.propertyList, .either), (.either, .propertyList):
            return try PlistDiffCommand(context: context, old: old, new: new, paths: paths).run()
        case (.file, .file), (.file, .propertyList), (.propertyList, .file):
            return try ContainerDiffCommand(context: context, old: old, new: new, paths: paths).runFiles()
        case (.file, .either), (.either, .file):
            throw ComparedKind.unfit(ComparedKind(of: old) == .either ? old : new)
        case (.container, .propertyList), (.container, .file):
            try ComparedKind.refuseUnreadable(old)
            throw Self.unlike(new)
        case (.propertyList, .container), (.file, .container):
            try ComparedKind.refuseUnreadable(new)
            throw Self.unlike(old)
        case (.container, _), (_, .container), (.either, .either):
            return try ContainerDiffCommand(context: context, old: old, new: new, paths: paths).run()
        }
    }

    /// The two sides, and the paths to compare. A single argument names two versions of a capsule; behind a range, all others are
    /// paths.
    private func sides() throws(CapsuleError) -> (old: [UInt8], new: [UInt8], paths: [[UInt8]]) {
        let old = context.command[.old]
        let paths = context.command[.paths]
        guard let new = context.command[.new] else {
            let versions = try ComparedVersions(of: old)
            return (versions.old, versions.new, paths)
        }
        if ComparedVersions.isRange(old) {
            let versions = try ComparedVersions(of: old)
            return (versions.old, versions.new, [new] + paths)
        }
        try ComparedKind.refusePath(new, after: old)
        return (old, new, paths)
    }

    /// Files have no paths in them.
    static let pathsOfFiles = CapsuleError(
        .usage, "PATH is in a container, and these are single files",
        hint: "'capsule diff A B PATH' compares a part of two containers")

    private static func unlike(_ propertyList: [UInt8]) -> CapsuleError {
        CapsuleError(
            .usage, "is a single file, but the other side is a container", path: HostPath(propertyList),
            hint: "compare it with another file; 'CONTAINER:PATH' names a file in the container")
    }
}
