import CapsuleRuntime
import Foundation
import TestSupport
import Testing

/// Tests the copies of stores. A preview that opens a store in the bundle can't write to it, or does not get the rows in its log.
@Suite struct PreviewStoreTests {
    private static let bundled: TreeLiteral = [
        "Model.sqlite": .file("SQLite format 3\0rows"), "Model.sqlite-wal": .file("wal"), "Model.sqlite-shm": .file("shm"),
        ".Model_SUPPORT/_EXTERNAL_DATA/X": .file("blob"), "Other.sqlite": .file("other"), "Info.plist": .file("info"),
        "default.store": .file("SQLite format 3\0"),
    ]

    private func makeApp() throws -> (app: TestApp, bundle: Bundle) {
        let app = try TestApp()
        try FileManager.default.removeItem(atPath: app.bundle)
        try Self.bundled.make(at: app.bundle)
        return (app, try #require(Bundle(path: app.bundle)))
    }

    @Test func theWholeUnitIsCopied() throws {
        let (app, bundle) = try makeApp()
        let before = try TestApp.tree(app.bundle)
        let url = try PreviewStore(named: "Model", in: bundle).url(in: app.environment())
        #expect(url.path == app.home + "/Library/Caches/com.example.gifs/PreviewStores/Model.sqlite/Model.sqlite")
        var wanted = Self.bundled
        for path: TreeLiteral.RawPath in ["Other.sqlite", "Info.plist", "default.store"] { wanted[path] = nil }
        #expect(wanted.differences(from: try TestApp.tree(url.deletingLastPathComponent().path)) == [])
        #expect(before.differences(from: try TestApp.tree(app.bundle)) == [])
    }

    @Test(arguments: PreviewStore.Policy.allCases)
    func anEarlierCopyIsUsedOrReplacedWhole(policy: PreviewStore.Policy) throws {
        let (app, bundle) = try makeApp()
        let store = try PreviewStore(named: "Model", in: bundle)
        let url = try store.url(in: app.environment())
        try Files.write("changed", to: url.path)
        try Files.write("journal", to: url.path + "-journal")
        #expect(try store.url(policy: policy, in: app.environment()) == url)
        let content = String(decoding: try Files.read(url.path), as: UTF8.self)
        #expect(content == (policy == .always ? "SQLite format 3\0rows" : "changed"))
        #expect(Files.exists(url.path + "-journal") == (policy == .ifAbsent))
    }

    /// They have their blobs in directories of the same name, so each store needs a directory of its own.
    @Test func storesOfOneStemAreCopiedApart() throws {
        let (app, bundle) = try makeApp()
        try Files.write("SQLite format 3\0", to: app.bundle + "/Model.store")
        let first = try PreviewStore(named: "Model", in: bundle).url(in: app.environment())
        let blobs = first.deletingLastPathComponent().path + "/.Model_SUPPORT/_EXTERNAL_DATA/"
        try Files.write("written since", to: blobs + "Y")
        let second = try PreviewStore(named: "Model", withExtension: "store", in: bundle).url(in: app.environment())
        #expect(second.deletingLastPathComponent() != first.deletingLastPathComponent())
        #expect(Files.exists(second.deletingLastPathComponent().path + "/.Model_SUPPORT/_EXTERNAL_DATA/X"))
        #expect(Files.exists(blobs + "Y"))
    }

    @Test func otherExtensionsAndMissingStores() throws {
        let (app, bundle) = try makeApp()
        // The app needs no home of its own: previews of Mac apps have none.
        let url = try PreviewStore(named: "default", withExtension: "store", in: bundle).url(in: app.environment(hasHome: false))
        #expect(url.lastPathComponent == "default.store")
        let error = #expect(throws: AppDataError.self) { try PreviewStore(named: "None", in: bundle) }
        #expect(error?.code == .missing)
        #expect(error?.path == "None.sqlite")
    }
}
