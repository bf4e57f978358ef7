import CapsuleCore
import CapsuleHashing
import CapsulePropertyList
import Foundation
import TestSupport
import Testing

@testable import CapsuleArchive
@testable import CapsuleRemote

/// The bytes of a capsule in memory, as the output of a writer.
private final class MemoryOutput: MemberOutput {
    let path = HostPath("memory")
    var bytes: [UInt8] = []

    func write(_ new: UnsafeRawBufferPointer, at offset: UInt64) throws(CapsuleError) {
        bytes.removeSubrange(Int(offset)...)
        bytes += new
    }

    func finish(length: UInt64) throws(CapsuleError) {}
}

@Suite struct CapsuleConfigTests {
    private static let path = HostPath("oci://h.io/a")

    private static func end(_ offset: UInt64) -> CapsuleConfig.End { CapsuleConfig.End(offset: offset, footer: .zero) }

    private static func version(_ number: UInt32, _ label: String?, _ end: UInt64) -> CapsuleConfig.Version {
        CapsuleConfig.Version(
            number: number, label: label.flatMap { VersionLabel($0) }, captured: Timestamp(seconds: 1_715_940_000), entries: 69,
            bytes: 122_100, end: Self.end(end), tree: .zero, content: .zero, source: .bundle,
            bundle: number == 1 ? "com.example.gifs" : nil)
    }

    private static func label(_ label: String, _ version: UInt32?, _ end: UInt64) throws -> CapsuleConfig.Label {
        CapsuleConfig.Label(label: try #require(VersionLabel(label)), version: version, end: Self.end(end))
    }

    private static func config(_ name: [UInt8] = Array("Gifs".utf8), labels: [CapsuleConfig.Label] = []) -> CapsuleConfig {
        CapsuleConfig(
            codec: .gzip, isOverlay: false, name: name, layout: .container,
            versions: [version(1, "before", 100), version(2, nil, 200), version(5, "after", 400)], labels: labels)
    }

    /// Returns a manifest with a config, and one layer as long as the capsule.
    private static func manifest(
        _ bytes: [UInt8], _ form: OCIManifest.Form = .full, length: UInt64
    ) throws -> OCIManifest {
        try OCIManifest(
            form: form, config: bytes, layers: [OCIManifest.Layer(kind: .data, digest: OCIDigest(.zero), size: length)],
            last: nil,
            annotations: [:])
    }

    private static func decode(_ text: String, length: UInt64 = 400) throws -> CapsuleConfig {
        let bytes = Array(text.utf8)
        return try CapsuleConfig(decoding: bytes, of: manifest(bytes, length: length), path: path)
    }

    private static let zeros = String(repeating: "0", count: 64)

    @Test func bytesAreExact() throws {
        var config = Self.config(labels: [try Self.label("x", 2, 300), try Self.label("before", nil, 350)])
        config.versions.removeFirst(1)
        config.versions[0] = Self.version(1, "before", 100)
        let facts = "\"captured\":\"2024-05-17T10:00:00Z\",\"entries\":69,\"bytes\":122100"
        let digests = "\"footer\":\"\(Self.zeros)\""
        let trees = "\"tree\":\"\(Self.zeros)\",\"content\":\"\(Self.zeros)\",\"source\":\"bundle\""
        let expected = """
            {"format":1,"codec":"gzip","length":400,"overlay":false,"name":"Gifs","layout":"container","versions":[\
            {"number":1,"label":"before",\(facts),"end":100,\(digests),\(trees),"bundle":"com.example.gifs"},\
            {"number":5,"label":"after",\(facts),"end":400,\(digests),\(trees)}],\
            "labels":[{"label":"x","version":2,"end":300,\(digests)},{"label":"before","end":350,\(digests)}]}
            """
        #expect(try String(decoding: config.encoded(as: .full), as: UTF8.self) == expected)
        let image = """
            {"architecture":"unknown","os":"unknown","rootfs":{"type":"layers","diff_ids":[]},"capsule":\(expected)}
            """
        #expect(try String(decoding: config.encoded(as: .image), as: UTF8.self) == image)
    }

    @Test(arguments: OCIManifest.Form.allCases)
    func formsReadBack(form: OCIManifest.Form) throws {
        for name in [Array("Gifs".utf8), [0x47, 0xFF], Array("ü\n".utf8)] {
            let config = Self.config(name, labels: [try Self.label("x", 2, 300)])
            let bytes = try config.encoded(as: form)
            #expect(try CapsuleConfig(decoding: bytes, of: Self.manifest(bytes, form, length: 400), path: Self.path) == config)
        }
        #expect(
            try String(decoding: Self.config([0xFF]).encoded(as: .full), as: UTF8.self).contains("\"name\":{\"base64\":\"/w==\"}")
        )
    }

    @Test func labelsInEffect() throws {
        func labels(_ records: [CapsuleConfig.Label]) -> [String] {
            Self.config(labels: records).labelsInEffect.map { "\($0.label.text)=\($0.version)" }
        }
        #expect(labels([]) == ["after=5", "before=1"])
        #expect(labels([try Self.label("x", 2, 300)]) == ["after=5", "x=2", "before=1"])
        #expect(labels([try Self.label("before", 2, 300), try Self.label("after", nil, 500)]) == ["before=2"])
        // The version's own label comes after the record.
        #expect(labels([try Self.label("after", 1, 300)]) == ["after=5", "before=1"])
        #expect(labels([try Self.label("y", 3, 500)]) == ["after=5", "before=1"])
    }

    @Test func annotations() throws {
        #expect(
            Self.config().annotations == [
                "org.opencontainers.image.created": "2024-05-17T10:00:00Z", "org.opencontainers.image.title": "Gifs",
                "org.opencontainers.image.version": "after",
            ])
        let renamed = Self.config([0xFF], labels: [try Self.label("after", nil, 500)]).annotations
        #expect(renamed["org.opencontainers.image.title"] == nil && renamed["org.opencontainers.image.version"] == "5")
    }

    @Test func endsAndSegments() throws {
        let config = Self.config(labels: [try Self.label("x", 2, 300), try Self.label("y", 2, 500)])
        #expect(config.ends.map(\.offset) == [100, 200, 300, 400, 500] && config.length == 500)
        #expect(config.segments.map(\.count) == [100, 100, 100, 100, 100])
    }

    @Test(arguments: [
        ("\"format\":1", "\"format\":2", "its config has the format 2, but this program reads the format 1"),
        ("\"format\":1,", "", "is not a capsule: its config has no format"),
        ("\"gzip\"", "\"lz4\"", "its config has an invalid 'codec'"),
        ("\"length\":400", "\"length\":401", "its config has an invalid 'length'"),
        ("\"overlay\":false", "\"overlay\":0", "its config has an invalid 'overlay'"),
        ("\"Gifs\"", "\"a/b\"", "its config has an invalid 'name'"),
        ("\"Gifs\"", "{\"base64\":\"!\"}", "its config has an invalid 'name'"),
        ("\"layout\":\"container\"", "\"layout\":\"box\"", "its config has an invalid 'layout'"),
        ("\"number\":2", "\"number\":1", "its config has an invalid 'versions'"),
        ("\"number\":2", "\"number\":4294967296", "its config has an invalid 'number'"),
        ("\"number\":1", "\"number\":0", "its config has an invalid 'versions'"),
        ("\"end\":200", "\"end\":100", "its config has an invalid 'versions'"),
        ("\"end\":200", "\"end\":-1", "its config has an invalid 'end'"),
        ("\"label\":\"before\"", "\"label\":\"1\"", "its config has an invalid 'label'"),
        ("2024-05-17T10:00:00Z", "2024-05-32T10:00:00Z", "its config has an invalid 'captured'"),
        ("\"source\":\"bundle\"", "\"source\":1", "its config has an invalid 'source'"),
        ("\"tree\":\"00", "\"tree\":\"0", "its config has an invalid 'tree'"),
        ("\"label\":\"before\"", "\"label\":null", "accepted"),
        ("\"format\":1", "\"format\":1,\"more\":[{}]", "accepted"),
    ])
    func damage(old: String, new: String, message: String) throws {
        let text = try String(decoding: Self.config().encoded(as: .full), as: UTF8.self)
        try #require(text.contains(old))
        let found = failure { try Self.decode(text.replacing(old, with: new, maxReplacements: 1)) }
        #expect((found?.message ?? "accepted") == message)
        #expect(found == nil || found?.path == Self.path)
    }

    @Test func theManifestHasToAgree() throws {
        let bytes = try Self.config().encoded(as: .full)
        let longer = failure { try CapsuleConfig(decoding: bytes, of: Self.manifest(bytes, length: 401), path: Self.path) }
        #expect(longer?.message == "its layers have 401 bytes together, but its config says 400")
        let other = failure {
            try CapsuleConfig(decoding: bytes, of: Self.manifest(bytes + [0x20], length: 400), path: Self.path)
        }
        #expect(other?.message == "its config does not match its digest")
        // A label record can't be first, and no two records end in one place.
        for labels in [
            [try Self.label("x", 1, 50)], [try Self.label("x", 1, 200)],
            [try Self.label("x", 1, 350), try Self.label("y", 1, 300)],
        ] {
            let text = try String(decoding: Self.config(labels: labels).encoded(as: .full), as: UTF8.self)
            #expect(failure { try Self.decode(text) }?.message == "its config has an invalid 'labels'")
        }
    }

    // MARK: - Files

    /// Returns a capsule with three versions, and label records after the first and the last.
    private static func capsule(_ codec: MemberCodec) throws -> (bytes: [UInt8], footers: [Footer]) {
        let output = MemoryOutput()
        let encoder = DataMemberEncoder(codec: codec, level: DataMemberEncoder.Level(nil))
        var footers: [Footer] = []
        for step in [1, 0, 2, 3, 0] as [UInt32] {
            let writer = CapsuleWriter(output: output, codec: codec, following: footers.last, version: step)
            if step == 0 {
                let record = LabelRecord(try #require(VersionLabel("label-\(footers.count)")), version: 1)
                _ = try writer.finish(record)
            } else {
                for number in 0..<step {
                    let buffer = ByteBuffer(capacity: 64)
                    let members = Array("data \(number)".utf8).withUnsafeBytes {
                        encoder.encode($0, isLargeFile: false, to: buffer)
                    }
                    try writer.append(members, buffer.bytes)
                }
                _ = try writer.finish(
                    root: { (_) throws(CapsuleError) in
                        IndexRoot(treeDigest: .zero, contentDigest: .zero, entries: 0, bytes: 0, blocks: [])
                    },
                    manifest: { _, digest in
                        Manifest(
                            version: step, name: Array("n\(step)".utf8), label: step == 2 ? VersionLabel("two") : nil,
                            captured: Timestamp(seconds: Int64(step)),
                            source: SourceDescription(kind: .directory, bundleIdentifier: "b"), layout: .directory,
                            treeDigest: .zero,
                            contentDigest: .zero, indexDigest: digest, entries: 0, bytes: 0)
                    })
            }
            footers.append(try #require(writer.footer))
        }
        return (output.bytes, footers)
    }

    @Test(arguments: MemberCodec.allCases)
    func filesAndConfigsAgree(codec: MemberCodec) throws {
        let (bytes, footers) = try Self.capsule(codec)
        let directory = try Scratch()
        let reader = try CapsuleReader(CapsuleFile(opening: HostPath(try directory.write(bytes, to: "capsule"))))
        let config = try CapsuleConfig(of: reader)
        #expect(config.length == UInt64(bytes.count) && config.codec == codec)
        #expect(config.versions.map(\.number) == [1, 2, 3] && config.name == Array("n3".utf8))
        #expect(config.ends == footers.map { CapsuleConfig.End(offset: $0.end, footer: $0.digest) })
        #expect(config.segments.map(\.lowerBound) == footers.map(\.segmentStart))
        #expect(config.labelsInEffect.map { "\($0)" } == (try reader.labels()).map { "\($0)" })
        let encoded = try config.encoded(as: .full)
        #expect(
            try CapsuleConfig(decoding: encoded, of: Self.manifest(encoded, length: config.length), path: Self.path) == config)
        // The part up to a footer has the same config as the file that was once so long.
        for footer in footers {
            let part = try CapsuleConfig(of: reader, through: footer)
            let earlier = try directory.write(Array(bytes[..<Int(footer.end)]), to: "earlier")
            #expect(try CapsuleConfig(of: CapsuleReader(CapsuleFile(opening: HostPath(earlier)))) == part)
        }
        // The members of data are those before the index.
        let members = try config.segments.map { try reader.dataMemberEnds(from: $0.lowerBound, to: $0.upperBound) }
        #expect(members.map(\.count) == [1, 0, 2, 3, 0])
        for (ends, footer) in zip(members, footers) where !ends.isEmpty { #expect(ends.last == footer.root.offset) }
        #expect(failure { try reader.dataMemberEnds(from: 1, to: 200) }?.code == .damaged)
    }
}
