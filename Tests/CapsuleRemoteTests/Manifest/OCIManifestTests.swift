import CapsuleCore
import CapsuleHashing
import CapsulePropertyList
import Foundation
import TestSupport
import Testing

@testable import CapsuleRemote

@Suite struct OCIManifestTests {
    private static let path = HostPath("oci://h.io/a")
    private static let config = Array("{\"format\":1}".utf8)
    private static let tail = Array("tail".utf8)
    private static let zeros = "sha256:" + String(repeating: "0", count: 64)

    private static func layers(last: LayerKind = .segment) -> [OCIManifest.Layer] {
        [
            OCIManifest.Layer(kind: .data, digest: OCIDigest(.zero), size: 33_602_113),
            OCIManifest.Layer(kind: .tail, digest: OCIDigest(.zero), size: 84_957),
            OCIManifest.Layer(kind: last, digest: OCIDigest(of: tail), size: UInt64(tail.count)),
        ]
    }

    private static func manifest(_ form: OCIManifest.Form, last: LayerKind = .segment) throws -> OCIManifest {
        try OCIManifest(
            form: form, config: config, layers: layers(last: last), last: tail,
            annotations: [
                "org.opencontainers.image.version": "after", "org.opencontainers.image.created": "2024-05-17T10:00:00Z",
                "a": "/\"",
            ])
    }

    private static func decode(_ bytes: [UInt8], _ type: String? = OCIManifest.mediaType) throws -> OCIManifest {
        try OCIManifest(decoding: bytes, contentType: type, path: path)
    }

    private static func decode(_ text: String, _ type: String? = OCIManifest.mediaType) throws -> OCIManifest {
        try decode(Array(text.utf8), type)
    }

    @Test func bytesAreExact() throws {
        let digest = OCIDigest(of: Self.config).text
        let expected = """
            {"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.capsule.v1",\
            "config":{"mediaType":"application/vnd.capsule.config.v1+json","digest":"\(digest)","size":12,"data":"eyJmb3JtYXQiOjF9"},\
            "layers":[{"mediaType":"application/vnd.capsule.data.v1","digest":"\(Self.zeros)","size":33602113},\
            {"mediaType":"application/vnd.capsule.tail.v1","digest":"\(Self.zeros)","size":84957},\
            {"mediaType":"application/vnd.capsule.segment.v1","digest":"\(OCIDigest(of: Self.tail))","size":4,"data":"dGFpbA=="}],\
            "annotations":{"a":"/\\"","org.opencontainers.image.created":"2024-05-17T10:00:00Z","org.opencontainers.image.version":"after"}}
            """
        #expect(try String(decoding: Self.manifest(.full).encoded(), as: UTF8.self) == expected)
        let plain = expected.replacing(",\"data\":\"eyJmb3JtYXQiOjF9\"", with: "").replacing(",\"data\":\"dGFpbA==\"", with: "")
        #expect(try String(decoding: Self.manifest(.withoutData).encoded(), as: UTF8.self) == plain)
        let image = plain.replacing("\"artifactType\":\"application/vnd.capsule.v1\",", with: "")
            .replacing("application/vnd.capsule.config.v1+json", with: "application/vnd.oci.image.config.v1+json")
        #expect(try String(decoding: Self.manifest(.image).encoded(), as: UTF8.self) == image)
    }

    @Test(arguments: OCIManifest.Form.allCases)
    func formsReadBack(form: OCIManifest.Form) throws {
        let manifest = try Self.manifest(form)
        #expect(try Self.decode(manifest.encoded()) == manifest)
        #expect(manifest.length == 33_602_113 + 84_957 + 4)
        #expect(manifest.offsets == [0, 33_602_113, 33_687_070])
    }

    @Test func onlySmallBlobsAreEmbedded() throws {
        #expect(try Self.manifest(.full, last: .data).layers.last?.data == nil)
        func embeds(config: Int, last: Int, layers: Int = 1) throws -> [Bool] {
            let last = [UInt8](repeating: 1, count: last)
            let layer = OCIManifest.Layer(kind: .tail, digest: OCIDigest(of: last), size: UInt64(last.count))
            let manifest = try OCIManifest(
                form: .full, config: [UInt8](repeating: 2, count: config),
                layers: [OCIManifest.Layer](repeating: layer, count: layers),
                last: last, annotations: [:])
            #expect(try manifest.encoded().count < 4 << 20)
            return [manifest.config.data != nil, manifest.layers.last?.data != nil]
        }
        #expect(try embeds(config: 32 << 10, last: 48 << 10) == [true, true])
        #expect(try embeds(config: (32 << 10) + 1, last: (48 << 10) + 1) == [false, false])
        #expect(try embeds(config: 10, last: 10, layers: 8_000) == [false, false])
    }

    // MARK: - What others write

    private static func document(
        config: String = "{\"mediaType\":\"application/vnd.capsule.config.v1+json\",\"digest\":\"\(zeros)\",\"size\":10}",
        layers: String = "[{\"mediaType\":\"application/vnd.capsule.data.v1\",\"digest\":\"\(zeros)\",\"size\":5}]",
        more: String = ""
    ) -> String {
        "{\"schemaVersion\":2,\"mediaType\":\"application/vnd.oci.image.manifest.v1+json\",\"config\":\(config),\"layers\":\(layers)\(more)}"
    }

    @Test func othersMayAddAndLeaveOut() throws {
        let found = try Self.decode(
            Self.document(
                layers: """
                    [{"mediaType":"application/vnd.capsule.segment.v1","digest":"\(Self.zeros)","size":5,"urls":["https://evil.example/"],
                      "annotations":null,"data":null}]
                    """,
                more: ",\"annotations\":null,\"subject\":null,\"artifactType\":null"))
        #expect(found.layers == [OCIManifest.Layer(kind: .segment, digest: OCIDigest(.zero), size: 5)])
        #expect(found.annotations.isEmpty && found.form == .withoutData)
        // Parameters of the type, and a manifest without a type of its own.
        #expect(try Self.decode(Self.document(), "Application/vnd.oci.image.manifest.v1+json; charset=utf-8").length == 5)
        let bare = Self.document().replacing("\"mediaType\":\"application/vnd.oci.image.manifest.v1+json\",", with: "")
        #expect(try Self.decode(bare).length == 5)
        #expect(try Self.decode(Self.document(), nil).length == 5)
        #expect(failure { try Self.decode(bare, nil) }?.code == .damaged)
        // A large config is never in the manifest, so its absence says nothing about the form.
        let large = "{\"mediaType\":\"application/vnd.capsule.config.v1+json\",\"digest\":\"\(Self.zeros)\",\"size\":40000}"
        #expect(try Self.decode(Self.document(config: large)).form == .full)
    }

    @Test(arguments: [
        (document(more: ",\"manifests\":[]"), OCIManifest.mediaType, "its manifest has both 'layers' and 'manifests'"),
        ("{\"schemaVersion\":2,\"manifests\":[]}", OCIManifest.mediaType, "is an index of several images, not a capsule"),
        (document(), "application/vnd.oci.image.index.v1+json", "is an index of several images, not a capsule"),
        (document(), "application/vnd.docker.distribution.manifest.list.v2+json", "is an index of several images, not a capsule"),
        (
            document(), "application/vnd.docker.distribution.manifest.v2+json",
            "its manifest is of the type 'application/vnd.oci.image.manifest.v1+json', but was sent as "
                + "'application/vnd.docker.distribution.manifest.v2+json'"
        ),
        (
            document(), "text/html",
            "its manifest is of the type 'application/vnd.oci.image.manifest.v1+json', but was sent as 'text/html'"
        ),
        ("{}", "text/html", "is of the type 'text/html', not a capsule"),
        (document().replacing(":2", with: ":1"), OCIManifest.mediaType, "its manifest does not have the version 2"),
        (document(config: "null"), OCIManifest.mediaType, "its manifest has no config or no layers"),
        (document(layers: "null"), OCIManifest.mediaType, "its manifest has no config or no layers"),
        (document(layers: "[]"), OCIManifest.mediaType, "is not a capsule: its type is 'application/vnd.capsule.config.v1+json'"),
        (document(layers: "[{}]"), OCIManifest.mediaType, "its manifest has a layer without a type"),
        (document(layers: "[1]"), OCIManifest.mediaType, "its manifest has a layer without a type"),
        (
            document(
                config: "{\"mediaType\":\"application/vnd.cncf.helm.config.v1+json\"}", more: ",\"artifactType\":\"a\\u001bb\""),
            OCIManifest.mediaType, "is not a capsule: its type is 'a\\x1Bb'"
        ),
        (
            document(layers: "[{\"mediaType\":\"application/vnd.oci.image.layer.v1.tar+gzip\"}]"), OCIManifest.mediaType,
            "is not a capsule: its type is 'application/vnd.capsule.config.v1+json'"
        ),
        (
            document(layers: "[{\"mediaType\":\"application/vnd.capsule.data.v2\"}]"), OCIManifest.mediaType,
            "is a capsule of a form that this program does not read"
        ),
        ("[]", OCIManifest.mediaType, "is an array, not an object"),
        ("{\"a\":1,\"a\":2}", OCIManifest.mediaType, "duplicate"),
        (String(repeating: "[", count: 100), OCIManifest.mediaType, "depth"),
        ("", OCIManifest.mediaType, "the text ends"),
    ])
    func refused(text: String, type: String, message: String) {
        let found = failure { try Self.decode(text, type) }?.message ?? "accepted"
        switch message {
        case "duplicate", "depth", "the text ends": #expect(found != "accepted")
        default: #expect(found == message)
        }
    }

    @Test(arguments: [
        ("\"digest\":\"sha256:12\",\"size\":5", "a layer without a SHA-256 digest"),
        ("\"digest\":\"\(zeros)/../x\",\"size\":5", "a layer without a SHA-256 digest"),
        ("\"size\":5", "a layer without a SHA-256 digest"),
        ("\"digest\":\"\(zeros)\"", "a layer without a size"),
        ("\"digest\":\"\(zeros)\",\"size\":-1", "a layer without a size"),
        ("\"digest\":\"\(zeros)\",\"size\":1.5", "a layer without a size"),
        ("\"digest\":\"\(zeros)\",\"size\":\"5\"", "a layer without a size"),
        ("\"digest\":\"\(zeros)\",\"size\":0", "a layer of an impossible size"),
        ("\"digest\":\"\(zeros)\",\"size\":18446744073709551615", "a layer of more than 9.2 EB"),
        ("\"digest\":\"\(zeros)\",\"size\":9223372036854775807", "a layer of an impossible size"),
        ("\"digest\":\"\(zeros)\",\"size\":1,\"data\":\"AA==\"", "a layer with data that does not match its digest"),
        ("\"digest\":\"\(OCIDigest(of: [0]))\",\"size\":2,\"data\":\"AA==\"", "a layer with data that does not match its digest"),
        ("\"digest\":\"\(OCIDigest(of: [0]))\",\"size\":1,\"data\":\"AA\"", "a layer with data that does not match its digest"),
        ("\"digest\":\"\(OCIDigest(of: [0]))\",\"size\":1,\"data\":5", "a layer with data that does not match its digest"),
    ])
    func layersAreChecked(members: String, problem: String) {
        let type = "\"mediaType\":\"application/vnd.capsule.data.v1\""
        // Two layers, so that the sum of their sizes may overflow.
        let text = Self.document(layers: "[{\(type),\"digest\":\"\(Self.zeros)\",\"size\":5},{\(type),\(members)}]")
        let error = failure { try Self.decode(text) }
        #expect(error?.message == "its manifest has \(problem)")
        #expect(error?.code == .damaged && error?.path == Self.path)
    }

    @Test func lengthsAreLimited() throws {
        let layer = "{\"mediaType\":\"application/vnd.capsule.data.v1\",\"digest\":\"\(Self.zeros)\",\"size\":1}"
        func list(_ count: Int) -> String { "[" + [String](repeating: layer, count: count).joined(separator: ",") + "]" }
        #expect(try Self.decode(Self.document(layers: list(16_384))).length == 16_384)
        #expect(
            failure { try Self.decode(Self.document(layers: list(16_385))) }?.message == "its manifest has more than 16384 layers"
        )
        let long = Self.document() + String(repeating: " ", count: 4 << 20)
        #expect(failure { try Self.decode(long) }?.message == "its manifest is longer than 4.2 MB")
        let config = "{\"mediaType\":\"application/vnd.capsule.config.v1+json\",\"digest\":\"\(Self.zeros)\",\"size\":4194305}"
        #expect(
            failure { try Self.decode(Self.document(config: config)) }?.message == "its manifest has a config of more than 4.2 MB"
        )
    }

    @Test(arguments: SeededGenerator.seeds)
    func damageNeverTraps(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let whole = try Self.manifest(.full).encoded()
        for _ in 0..<rounds(2_000) {
            var bytes = whole
            for _ in 0..<random.number(1...3) { bytes[random.number(0...bytes.count - 1)] = UInt8(random.number(0...255)) }
            // Every error is one of ours; a manifest that is accepted can be written.
            if let found = try? Self.decode(bytes) { _ = try found.encoded() }
        }
    }
}
