import CapsuleArchive
import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleRemote

@Suite struct LayoutDirectoryTests {
    private let scratch: Scratch
    private let layout: LayoutDirectory

    init() throws {
        scratch = try Scratch()
        layout = try Self.layout(scratch, ":main")
    }

    private static func layout(_ scratch: Scratch, _ tag: String) throws -> LayoutDirectory {
        LayoutDirectory(try OCILayoutReference(parsing: Array("oci:\(scratch("lay"))\(tag)".utf8)))
    }

    /// A capsule of one version, whose bytes are in the layers. What they hold does not matter to a layout.
    private struct Capsule {
        let layers: [[UInt8]]
        let list: CapsuleConfig
        let config: [UInt8]
        let manifest: [UInt8]

        init(_ texts: String...) throws {
            layers = texts.map { Array($0.utf8) }
            let length = UInt64(layers.joined().count)
            list = CapsuleConfig(
                codec: .gzip, isOverlay: false, name: Array("n".utf8), layout: .directory,
                versions: [
                    CapsuleConfig.Version(
                        number: 1, label: nil, captured: Timestamp(seconds: 0), entries: 0, bytes: 0,
                        end: CapsuleConfig.End(offset: length, footer: .zero), tree: .zero, content: .zero, source: .directory,
                        bundle: nil)
                ], labels: []
            )
            config = try list.encoded(as: .full)
            manifest = try OCIManifest(
                form: .withoutData, config: config,
                layers: layers.map { OCIManifest.Layer(kind: .data, digest: OCIDigest(of: $0), size: UInt64($0.count)) },
                last: nil,
                annotations: [:]
            ).encoded()
        }

        var blobs: [NewBlob] { (layers + [config]).map { NewBlob(OCIDigest(of: $0), HTTPBody($0)) } }
    }

    /// - Returns: true for each blob that was written.
    @discardableResult
    private func push(_ capsule: Capsule, replacing old: RegistryManifest? = nil) throws -> [Bool] {
        var written: [Bool] = []
        try layout.store(capsule.blobs) { _, isWritten in written.append(isWritten) }
        try layout.tag(capsule.manifest, of: capsule.list, replacing: old)
        return written
    }

    private func file(of bytes: [UInt8]) -> String { "lay/blobs/sha256/\(OCIDigest(of: bytes).content.hex)" }

    @Test func whatIsStoredIsThere() throws {
        #expect(try layout.manifestIfThere() == nil)
        let capsule = try Capsule("one", "two")
        #expect(try push(capsule) == [true, true, true])
        let found = try layout.manifest()
        #expect(found.bytes == capsule.manifest && found.config.length == 6)
        #expect(try push(capsule, replacing: found) == [false, false, false])
        let more = try Capsule("one", "two", "three")
        #expect(try push(more, replacing: found) == [false, false, true, true])
        #expect(try layout.tags() == ["main"])
        try layout.tag(capsule.manifest, also: "old")
        #expect(try layout.tags() == ["main", "old"])
        #expect(try Self.layout(scratch, ":old").manifest().bytes == capsule.manifest)
        #expect(try Self.layout(scratch, "@\(OCIDigest(of: capsule.manifest))").manifest().bytes == capsule.manifest)
        #expect(failure { try Self.layout(scratch, ":none").manifest() }?.code == .notFound)
        #expect(failure { try Self.layout(scratch, "").manifest() }?.code == .usage)
    }

    @Test func onlyTagsAreListed() throws {
        try push(try Capsule("one"))
        let index = String(decoding: try scratch.read("lay/index.json"), as: UTF8.self)
        for name in ["\\u001b[31m", "../x", ""] {
            try scratch.write(index.replacingOccurrences(of: "\"main\"", with: "\"\(name)\""), to: "lay/index.json")
            #expect(try layout.tags() == [])
        }
        try scratch.write(String(repeating: " ", count: (4 << 20) + 1), to: "lay/index.json")
        let error = failure { try layout.tags() }
        #expect(error?.code == .limit && error?.hint == nil)
    }

    @Test func movedTagsStay() throws {
        let (first, second) = (try Capsule("one"), try Capsule("two"))
        try push(first)
        #expect(failure { try push(second) }?.code == .changed)
        let old = try layout.manifest()
        try push(second, replacing: old)
        #expect(failure { try push(first, replacing: old) }?.code == .changed)
        #expect(try layout.manifest().bytes == second.manifest)
    }

    @Test func manifestsNeedTheirBlobs() throws {
        let capsule = try Capsule("one", "two")
        try layout.store(Array(capsule.blobs.dropFirst())) { _, _ in }
        #expect(failure { try layout.tag(capsule.manifest, of: capsule.list, replacing: nil) }?.code == .notFound)
        #expect(try layout.manifestIfThere() == nil)
    }

    @Test func blobsThatChangeAreNotStored() throws {
        let blob = NewBlob(OCIDigest(of: Array("one".utf8)), HTTPBody(Array("two".utf8)))
        #expect(failure { try layout.store([blob]) { _, _ in } } != nil)
        #expect(!scratch.exists(file(of: Array("one".utf8))))
    }

    @Test func readsCrossBlobs() throws {
        try push(try Capsule("one", "two", "three"))
        let file = CapsuleFile(try LayoutFile(layout))
        let all = Array("onetwothree".utf8)
        #expect(file.length == 11 && file.isRemote)
        for start in 0...11 {
            for end in start...11 {
                #expect(try file.read(at: UInt64(start), count: end - start) == Array(all[start..<end]))
            }
        }
        try file.fetch([0..<11])
    }

    @Test func wholeBlobsAreCompared() throws {
        let capsule = try Capsule("one", "two")
        try push(capsule)
        try scratch.write("ONE", to: file(of: capsule.layers[0]))
        let file = CapsuleFile(try LayoutFile(layout))
        try file.fetch([3..<6, 0..<2])
        #expect(failure { try file.fetch([0..<6]) }?.code == .damaged)
        // A push repairs it.
        #expect(try push(capsule, replacing: layout.manifest()) == [true, false, false])
        try file.fetch([0..<6])
    }

    @Test func missingAndOtherBlobsAreSaid() throws {
        let capsule = try Capsule("one", "two")
        try push(capsule)
        let path = file(of: capsule.layers[1])
        for text in ["", "tw", "twoo"] {
            try scratch.write(text, to: path)
            #expect(failure { try LayoutFile(layout) }?.code == .damaged)
        }
        try FileManager.default.removeItem(atPath: scratch(path))
        #expect(failure { try LayoutFile(layout) }?.code == .notFound)
        try FileManager.default.createSymbolicLink(
            atPath: scratch(path), withDestinationPath: try scratch.write("two", to: "two"))
        #expect(failure { try LayoutFile(layout) }?.code == .throughLink)
        #expect(failure { try push(capsule, replacing: layout.manifest()) }?.code == .throughLink)
        #expect(try scratch.read("two") == Array("two".utf8))
        try FileManager.default.removeItem(atPath: scratch(path))
        try FileManager.default.createDirectory(atPath: scratch(path), withIntermediateDirectories: false)
        #expect(failure { try LayoutFile(layout) }?.code == .notAFile)
    }

    @Test func otherDirectoriesAreRefused() throws {
        try scratch.write("x", to: "lay/file")
        #expect(failure { try push(try Capsule("one")) }?.code == .notCapsule)
        #expect(failure { try layout.tags() }?.code == .notCapsule)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch("lay")) == ["file"])
        try FileManager.default.removeItem(atPath: scratch("lay/file"))
        #expect(failure { try layout.tags() }?.code == .notFound)
        // What a push leaves that was killed at its beginning.
        try scratch.write("", to: "lay/.oci-layout.abcdefgh.tmp")
        try push(try Capsule("one"))
        try scratch.write("{\"imageLayoutVersion\":\"2.0.0\"}", to: "lay/oci-layout")
        #expect(failure { try layout.manifest() }?.code == .otherFormat)
    }

    @Test func linksAreNotFollowed() throws {
        try push(try Capsule("one"))
        try scratch.write(LayoutIndex.empty, to: "elsewhere")
        try FileManager.default.removeItem(atPath: scratch("lay/index.json"))
        try FileManager.default.createSymbolicLink(atPath: scratch("lay/index.json"), withDestinationPath: scratch("elsewhere"))
        #expect(failure { try layout.manifest() }?.code == .throughLink)
        #expect(failure { try push(try Capsule("one")) } != nil)
        #expect(try scratch.read("elsewhere") == LayoutIndex.empty)
    }
}
