import CapsuleContainers
import CapsuleCore
import CapsuleRules
import TestSupport
import Testing

@testable import CapsuleEngine

/// The directories that a restore and a drop may empty. Whoever names the wrong one would lose what is in it.
@Suite struct TargetAdmissionTests {
    private static let metadata: TreeLiteral.RawPath = ".com.apple.mobile_container_manager.metadata.plist"

    private static func identity(_ identifier: String) -> TreeNode { .file(plist(["MCMMetadataIdentifier": identifier])) }

    /// The version's app data, in a container of com.example.app.
    private static let app: TreeLiteral = [
        "Documents/a": .file("a"), "Library/Preferences/b": .file("b"), "tmp/c": .file("c"), "Inbox/d": .file("d"),
    ]

    struct Row: CustomTestStringConvertible, Sendable {
        var name: String
        var target: TreeLiteral
        /// The beginning of the error after the path; nil if the target is taken.
        var refusal: String?
        /// The same with `--any-directory`.
        var evenSo: String?
        var otherApp = false
        var isPlain = false
        var testDescription: String { name }
    }

    private static func container(_ more: TreeLiteral) -> TreeLiteral {
        var tree: TreeLiteral = ["Documents/mine": .file("x"), "Library/y": .file("y")]
        for (path, node) in more.nodes { tree[path] = node }
        return tree
    }

    static let rows: [Row] = [
        Row(name: "empty", target: [:]),
        Row(name: "container of this app", target: container(["Desktop/z": .file("z"), metadata: identity("com.example.app")])),
        Row(
            name: "container of another app", target: container([metadata: identity("com.example.other")]),
            refusal: "is the container of \"com.example.other\", but the version is of \"com.example.app\"",
            evenSo: "is the container of \"com.example.other\", but the version is of \"com.example.app\""),
        Row(
            name: "another app, allowed", target: container([metadata: identity("com.example.other")]), otherApp: true),
        Row(name: "container without metadata", target: container(["tmp/t": .file("t"), ".DS_Store": .file("")])),
        Row(name: "a directory that the version has", target: container(["Inbox/e": .file("e")])),
        Row(
            name: "a home",
            target: container(["Desktop/thesis.txt": .file("z"), "Downloads/f": .file("f"), ".bashrc": .file("")]),
            refusal: "does not look like this app's container, because it has .bashrc; 5 files would be deleted or replaced: "
                + ".bashrc, Desktop/thesis.txt, Documents/mine, …"),
        Row(
            name: "a home, with another app allowed", target: container(["main.c": .file("z")]),
            refusal: "does not look like this app's container, because it has main.c; 3 files would be deleted or replaced: "
                + "Documents/mine, Library/y, main.c", otherApp: true),
        Row(
            name: "documents alone", target: ["Documents/thesis.txt": .file("z")],
            refusal: "does not look like this app's container, because it has no Library with Documents, tmp or SystemData; "
                + "1 file would be deleted or replaced: Documents/thesis.txt"),
        Row(name: "nothing goes", target: ["Documents/a": .file("a"), "Documents": .directory()]),
        Row(
            name: "empty directories", target: ["Movies": .directory()],
            refusal: "does not look like this app's container, because it has no Library with Documents, tmp or SystemData; "
                + "1 directory would be deleted or replaced: Movies"),
        Row(
            name: "a bare repository",
            target: container([
                "Documents/x.git/HEAD": .file("h"), "Documents/x.git/objects/o": .file(""),
                "Documents/x.git/refs": .directory(),
            ]),
            refusal: "contains a repository, Documents/x.git, which would be deleted",
            evenSo: "contains a repository, Documents/x.git, which would be deleted"),
        Row(
            name: "a repository", target: container(["Documents/r/.git/HEAD": .file("h"), "Documents/r/a": .file("a")]),
            refusal: "contains a repository, Documents/r, which would be deleted",
            evenSo: "contains a repository, Documents/r, which would be deleted"),
        Row(
            name: "the directory around the plain one", target: ["s/Inbox/e": .file("e")],
            refusal: "may be the directory around the directory that was packed, because it has s; "
                + "1 file would be deleted or replaced: s/Inbox/e", isPlain: true),
        Row(
            name: "one name of two", target: ["tmp/mine.c": .file("x")],
            refusal: "does not look like the directory that was packed, because it has only 1 of its 2 names; "
                + "1 file would be deleted or replaced: tmp/mine.c", isPlain: true),
        Row(name: "the plain directory again", target: ["Inbox/e": .file("e"), "tmp/x": .file("x")], isPlain: true),
        Row(
            name: "another plain directory", target: ["Inbox/e": .file("e"), "src/main.c": .file("x")],
            refusal: "does not look like the directory that was packed, because it has src; "
                + "2 files would be deleted or replaced: Inbox/e, src/main.c", isPlain: true),
        Row(
            name: "a container for a plain directory", target: container([metadata: identity("com.example.other")]),
            refusal: "is the container of \"com.example.other\", but the version is of a plain directory; "
                + "2 files would be deleted or replaced: Documents/mine, Library/y", isPlain: true),
        Row(
            name: "a container without metadata for a plain directory", target: container([:]),
            refusal:
                "does not look like the directory that was packed, because it has Library with Documents, tmp or SystemData; "
                + "2 files would be deleted or replaced: Documents/mine, Library/y", isPlain: true),
    ]

    @Test(arguments: rows)
    func restoring(_ row: Row) throws {
        let scratch = try Scratch()
        try (row.isPlain ? ["Inbox/d": .file("d"), "tmp/c": .file("c")] : bundle(Self.app)).make(at: scratch("s"))
        try UseCases.pack(scratch("s"), to: scratch("v.capsule"))
        try row.target.make(at: scratch("t"))
        for isAny in [false, true] {
            var options = LiveChange.Options(moment: UseCases.captured)
            options.mode = .dryRun
            options.allowsOtherApp = row.otherApp
            options.allowsAnyDirectory = isAny
            let failure = UseCases.failure {
                try LiveChange(options).restore(UseCases.container(scratch("v.capsule")), to: HostPath(scratch("t")))
            }
            #expect(failure?.message == (isAny ? row.evenSo : row.refusal))
        }
    }

    /// The name of a directory may look like a bundle identifier, as that of a home may.
    @Test func aNameIsNoMetadata() throws {
        let scratch = try Scratch()
        try bundle(Self.app).make(at: scratch("s"))
        try UseCases.pack(scratch("s"), to: scratch("v.capsule"))
        try Self.container(["Desktop/thesis.txt": .file("z")]).make(at: scratch("john.doe"))
        var options = LiveChange.Options(moment: UseCases.captured)
        options.allowsOtherApp = true
        let failure = UseCases.failure {
            try LiveChange(options).restore(UseCases.container(scratch("v.capsule")), to: HostPath(scratch("john.doe")))
        }
        #expect(failure?.message.hasPrefix("does not look like this app's container, because it has Desktop; 3 files") == true)
        #expect(scratch.exists("john.doe/Desktop/thesis.txt"))
    }

    /// A directory with the same names may be another repository, whose commits would be lost.
    @Test(arguments: [false, true])
    func anotherRepository(isInDocuments: Bool) throws {
        let scratch = try Scratch()
        let version: TreeLiteral = [".git/HEAD": .file("1"), "src/a": .file("a")]
        let other: TreeLiteral = [".git/HEAD": .file("2"), ".git/objects/o": .file("commit"), "src/a": .file("a")]
        var options = LiveChange.Options(moment: UseCases.captured)
        if isInDocuments {
            try bundle(version.placed(at: "Documents")).make(at: scratch("s"))
            try bundle(other.placed(at: "Documents"), info: nil).make(at: scratch("t"))
        } else {
            try version.make(at: scratch("s"))
            try other.make(at: scratch("t"))
        }
        let failure = UseCases.failure {
            try LiveChange(options).restore(UseCases.container(scratch("s")), to: HostPath(scratch("t")))
        }
        #expect(
            failure?.message.contains("a repository, \(isInDocuments ? "Documents/" : "").git; 2 files would be deleted") == true)
        options.allowsAnyDirectory = true
        options.mode = .dryRun
        _ = try LiveChange(options).restore(UseCases.container(scratch("s")), to: HostPath(scratch("t")))
    }

    struct GroupRow: CustomTestStringConvertible, Sendable {
        var name: String
        var target: TreeLiteral
        var refusal: String?
        var testDescription: String { name }
    }

    static let groupRows: [GroupRow] = [
        GroupRow(name: "empty", target: [:]),
        GroupRow(name: "this group", target: ["x/y": .file("y"), metadata: identity("group.g")]),
        GroupRow(
            name: "another group", target: [metadata: identity("group.h")],
            refusal: "is the container of \"group.h\", not of the app group \"group.g\""),
        GroupRow(
            name: "another app", target: [metadata: identity("com.example.app")],
            refusal: "is the container of \"com.example.app\", not of the app group \"group.g\""),
        GroupRow(name: "without metadata", target: ["Library/old": .file("o"), "shared/old": .file("o")]),
        GroupRow(
            name: "any directory", target: ["letters/one": .file("1")],
            refusal: "does not look like the app group \"group.g\", because it has letters; "
                + "1 file would be deleted or replaced: AppGroups/group.g/letters/one"),
    ]

    @Test(arguments: groupRows)
    func restoringGroups(_ row: GroupRow) throws {
        let scratch = try Scratch()
        var version = bundle(Self.app)
        version["AppGroups/group.g/shared/new"] = .file("n")
        try version.make(at: scratch("s"))
        try UseCases.pack(scratch("s"), to: scratch("v.capsule"))
        try ([Self.metadata: Self.identity("com.example.app")] as TreeLiteral).make(at: scratch("t"))
        try row.target.make(at: scratch("g"))
        var options = LiveChange.Options(moment: UseCases.captured)
        options.groups = [(Array("group.g".utf8), HostPath(scratch("g")))]
        let container = UseCases.container(scratch("v.capsule"))
        let failure = UseCases.failure { try LiveChange(options).restore(container, to: HostPath(scratch("t"))) }
        #expect(failure?.message == row.refusal)
        #expect((failure == nil) == scratch.exists("g/shared/new"))
        options.allowsAnyDirectory = true
        guard failure != nil, !(failure?.message.hasPrefix("is the") ?? false) else { return }
        let outcome = try LiveChange(options).restore(container, to: HostPath(scratch("t")))
        #expect(outcome.groups.map { "\(HostPath($0.identifier)) \($0.counts.written) \($0.counts.deleted)" } == ["group.g 1 2"])
        #expect(outcome.deletions.map(\.description) == ["AppGroups/group.g/letters", "AppGroups/group.g/letters/one"])
    }

    @Test(
        arguments: [
            (
                ["tmp/a": .file("a"), "main.c": .file("m")],
                "does not look like this app's container, because it has no Library with Documents, "
                    + "tmp or SystemData; 1 file would be deleted: tmp/a"
            ),
            (
                ["tmp/a": .file("a"), "Library/b": .file("b"), "main.c": .file("m")],
                "does not look like this app's container, because it has main.c; 1 file would be deleted: tmp/a"
            ),
            (["tmp/a": .file("a"), "Library/b": .file("b")], nil),
            (
                ["tmp/a": .file("a"), "tmp/r/.git/HEAD": .file("b"), "Library/b": .file("b")],
                "contains a repository, tmp/r, which would be deleted"
            ),
            (["tmp/a": .file("a"), "main.c": .file("m"), metadata: identity("com.example.app")], nil),
        ] as [(TreeLiteral, String?)])
    func dropping(target: TreeLiteral, refusal: String?) throws {
        let scratch = try Scratch()
        try target.make(at: scratch("t"))
        let change = LiveChange(LiveChange.Options(moment: UseCases.captured))
        let noise = try DroppedNoise.list("tmp")
        let failure = UseCases.failure { try change.drop(noise, from: HostPath(scratch("t"))) }
        #expect(failure?.message == refusal)
        #expect((failure != nil) == scratch.exists("t/tmp/a"))
    }

    /// Directories that are never changed as a whole are refused before anything in them is listed.
    @Test func theRootDirectory() {
        for verb in ["restore", "drop"] {
            let change = LiveChange(LiveChange.Options(moment: UseCases.captured))
            let failure = UseCases.failure {
                if verb == "drop" { return try change.drop([], from: HostPath("/")) }
                return try change.restore(
                    UseCases.container(PackageFiles.samples + "/Gifs-before.xcappdata"), to: HostPath("/"))
            }
            #expect(failure?.message == "is the root directory")
        }
    }
}
