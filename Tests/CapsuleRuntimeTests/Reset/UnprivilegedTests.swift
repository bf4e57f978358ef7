import CapsuleRuntime
import Foundation
import TestSupport
import Testing

/// Tests without root permissions, like an app's: a directory that its owner can't write to can't be moved without a change of its mode.
@Suite struct UnprivilegedTests {
    private static let asked = ["app", "--ResetData"]

    @Test func aResetTakesWhatIsClosed() throws {
        let app = try TestApp()
        try app.makeHome([
            "Documents/readonly": .directory(mode: 0o555), "Documents/readonly/a": .file("a", mode: 0o400),
            "Documents/readonly/inner": .directory(mode: 0o500), "Documents/readonly/inner/b": .file("b"),
            "Documents/shut": .directory(mode: 0), "Documents/shut/c": .file("c"),
            "Library/Application Support": .directory(mode: 0o555), "Library/Application Support/d": .file("d"),
        ])
        try Unprivileged.give(app.root)
        let deleted = try Unprivileged.run {
            try AppDataReset.perform([.files], in: app.environment(arguments: Self.asked))?.deleted
        }
        #expect(deleted == ["Documents/readonly", "Documents/shut", "Library/Application Support"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: app.home + "/Documents").isEmpty)
        #expect(app.isTidy())
    }

    @Test func aSeedReplacesBlobsThatAreClosed() throws {
        let app = try TestApp()
        try app.makeHome([
            "Documents/m.db": .file("old"), "Documents/.m_SUPPORT": .directory(mode: 0o555),
            "Documents/.m_SUPPORT/OLD": .file("old"),
        ])
        try app.makeSeed(["Documents/m.db": .file("SQLite format 3\0"), "Documents/.m_SUPPORT/NEW": .file("new")])
        try Unprivileged.give(app.root)
        try Unprivileged.run { _ = try app.seed.install(policy: .always, in: app.environment()) }
        #expect(app.text("Documents/.m_SUPPORT/OLD") == nil)
        #expect(app.text("Documents/.m_SUPPORT/NEW") == "new")
        #expect(app.isTidy())
    }

    @Test func theErrorNamesWhatCannotBeDeleted() throws {
        let app = try TestApp()
        try app.makeHome(["Documents": .directory(mode: 0o555), "Documents/a": .file("a")])
        try Unprivileged.give(app.root)
        let error = #expect(throws: AppDataError.self) {
            try Unprivileged.run { _ = try AppDataReset.perform([.files], in: app.environment(arguments: Self.asked)) }
        }
        #expect(error?.code == .system)
        #expect(error?.number == EACCES)
        #expect(error?.path == app.home + "/Documents/a")
        #expect(error?.message == "cannot delete: permission denied")
        #expect(app.text("Documents/a") == "a")
        // So that the user who runs this can delete it.
        chmod(app.home + "/Documents", 0o700)
    }
}
