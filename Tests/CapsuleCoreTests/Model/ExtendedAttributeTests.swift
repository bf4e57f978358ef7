import CapsuleCore
import Testing

@Suite struct ExtendedAttributeTests {
    @Test(arguments: [
        "com.apple.provenance", "com.apple.quarantine", "com.apple.lastuseddate#PS", "security.selinux", "security.",
        "system.posix_acl", "com.apple.macl", "trusted.overlay.opaque", "trusted.", "user.com.apple.quarantine",
        "user.com.apple.macl",
    ])
    func denied(name: String) {
        #expect(ExtendedAttribute.isDenied(Array(name.utf8)))
    }

    @Test(arguments: [
        "com.apple.metadata:kMDItemWhereFroms", "com.apple.provenance2", "com.apple.quarantin", "user.x", "x.security.y",
        "com.apple.FinderInfo", "com.apple.macl2",
        "com.apple.ResourceFork", "systemic", "trusted", "user.trusted.x", "user.com.apple.metadata:x",
    ])
    func kept(name: String) {
        #expect(!ExtendedAttribute.isDenied(Array(name.utf8)))
    }

    /// Both spellings are one attribute; only Apple's is stored.
    @Test(arguments: [
        ("com.apple.metadata:x", true), ("user.com.apple.metadata:x", false), ("user.x", true), ("user.com.applex", true),
        ("trusted.x", false), ("com.apple.quarantine", false), ("user.com.apple.quarantine", false), ("security.x", false),
    ])
    func oneSpellingIsStored(name: String, isStorable: Bool) {
        #expect(ExtendedAttribute.isStorable(Array(name.utf8)) == isStorable)
    }

    @Test(arguments: [
        ("user.com.apple.metadata:x", "com.apple.metadata:x"), ("user.other", "user.other"),
        ("user.com.applex", "user.com.applex"),
        ("trusted.x", "trusted.x"), ("user.com.apple.", "com.apple."),
    ])
    func linuxNames(linux: String, portable: String) {
        #expect(ExtendedAttribute.portableName(fromLinux: Array(linux.utf8)) == Array(portable.utf8))
        #expect(ExtendedAttribute.linuxName(fromPortable: Array(portable.utf8)) == Array(linux.utf8))
    }

    @Test(arguments: [
        (FileMode(0o644), "0644"), (FileMode(0), "0000"), (FileMode(0o7777), "7777"), (FileMode(0o100644), "0644"),
        (FileMode(0o1755), "1755"),
    ])
    func modesAreOctal(mode: FileMode, text: String) {
        #expect(mode.octal == text)
    }

    @Test(arguments: [
        (UInt16(0o7777), EntryKind.file, UInt16(0o777)), (0o7777, .directory, 0o1777), (0o1644, .file, 0o644),
        (0o4755, .directory, 0o755),
        (0o600, .identity, 0o600), (0o3777, .identity, 0o777),
    ])
    func modesComeBackWithoutSetuid(mode: UInt16, kind: EntryKind, restored: UInt16) {
        #expect(FileMode(mode).restorable(for: kind).rawValue == restored)
    }

    @Test(arguments: [
        ("Model.sqlite-wal", "Model.sqlite"), ("a/b-journal", "a/b"), ("x-wal-wal", "x-wal"), ("-wal", nil), ("a/-wal", nil),
        ("x-shm", nil),
        ("x.wal", nil), ("x", nil),
    ])
    func logsKnowTheirDatabases(path: String, database: String?) throws {
        let path = try RelativePath(validating: Array(path.utf8))
        #expect(DatabaseUnit.database(ofLog: path)?.bytes == database.map { Array($0.utf8) })
    }
}
