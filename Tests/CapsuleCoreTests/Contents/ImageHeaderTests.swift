import TestSupport
import Testing

@testable import CapsuleCore

@Suite struct ImageHeaderTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let bytes: [UInt8]
        let format: ImageHeader.Format
        let size: [UInt32]?
        var testDescription: String { name }

        init(_ name: String, _ format: ImageHeader.Format, _ size: [UInt32]?, _ bytes: [UInt8]) {
            (self.name, self.format, self.size, self.bytes) = (name, format, size, bytes)
        }
    }

    // MARK: Headers by hand

    static func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

    static func pngChunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        CookieFile.big(UInt64(content.count), 4) + ascii(type) + content + [0, 0, 0, 0]
    }

    static let pngMagic: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    static let ihdr = pngChunk("IHDR", CookieFile.big(300, 4) + CookieFile.big(70_000, 4) + [8, 6, 0, 0, 0])

    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + CookieFile.big(UInt64(content.count + 2), 2) + content
    }

    static let exif = segment(0xE1, ascii("Exif\0\0") + Array(repeating: 0xFF, count: 500))
    static func frame(_ marker: UInt8, height: UInt64 = 480) -> [UInt8] {
        segment(marker, [8] + CookieFile.big(height, 2) + CookieFile.big(640, 2) + [1, 1, 0x11, 0])
    }
    static let scan = segment(0xDA, [1, 1, 0, 0, 0x3F, 0]) + [1, 2, 3, 0xFF, 0xD9]

    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        CookieFile.big(UInt64(content.count + 8), 4) + ascii(type) + content
    }

    static func largeBox(_ type: String, _ content: [UInt8]) -> [UInt8] {
        CookieFile.big(1, 4) + ascii(type) + CookieFile.big(UInt64(content.count + 16), 8) + content
    }

    static func extent(_ width: UInt64, _ height: UInt64) -> [UInt8] {
        box("ispe", [0, 0, 0, 0] + CookieFile.big(width, 4) + CookieFile.big(height, 4))
    }

    static func brands(_ names: String...) -> [UInt8] {
        box("ftyp", ascii(names[0]) + [0, 0, 0, 0] + names.dropFirst().flatMap { ascii($0) })
    }

    static func meta(_ properties: [UInt8]) -> [UInt8] {
        let handler = box("hdlr", [0, 0, 0, 0, 0, 0, 0, 0] + ascii("pict") + Array(repeating: 0, count: 13))
        return box("meta", [0, 0, 0, 0] + handler + box("iprp", box("ipco", properties) + box("ipma", [0])))
    }

    static func webp(_ chunk: String, _ content: [UInt8]) -> [UInt8] {
        ascii("RIFF") + CookieFile.little(UInt64(content.count + 12), 4) + ascii("WEBP" + chunk)
            + CookieFile.little(UInt64(content.count), 4) + content
    }

    static let properties = box("colr", ascii("nclx")) + extent(512, 512) + extent(4032, 3024) + extent(320, 240)

    static let cases: [Case] = [
        Case("png", .png, [300, 70_000], pngMagic + ihdr),
        Case("png of Xcode's", .png, [300, 70_000], pngMagic + pngChunk("CgBI", [0x50, 0, 0x20, 2]) + ihdr),
        Case("png without a header", .png, nil, pngMagic + pngChunk("IDAT", Array(repeating: 0, count: 20))),
        Case("png with a long first chunk", .png, nil, pngMagic + [0xFF, 0xFF, 0xFF, 0xFF] + ascii("CgBI") + ihdr),
        Case("jpeg", .jpeg, [640, 480], [0xFF, 0xD8] + segment(0xE0, ascii("JFIF\0")) + frame(0xC0) + scan),
        Case("progressive jpeg", .jpeg, [640, 480], [0xFF, 0xD8] + exif + segment(0xC4, [0, 0]) + frame(0xC2) + scan),
        Case("filled jpeg", .jpeg, [640, 480], [0xFF, 0xD8, 0xFF, 0xFF] + frame(0xC1) + scan),
        Case("jpeg with a marker alone", .jpeg, [640, 480], [0xFF, 0xD8, 0xFF, 0x01] + frame(0xC0)),
        Case("jpeg without a frame", .jpeg, nil, [0xFF, 0xD8] + segment(0xC4, [0, 0]) + scan + frame(0xC0)),
        Case("jpeg with its height later", .jpeg, nil, [0xFF, 0xD8] + frame(0xC0, height: 0) + scan),
        Case("jpeg with an empty segment", .jpeg, nil, [0xFF, 0xD8, 0xFF, 0xE0, 0, 1] + frame(0xC0)),
        Case("jpeg that ends", .jpeg, nil, [0xFF, 0xD8, 0xFF, 0xD9] + frame(0xC0)),
        Case("gif", .gif, [300, 2], ascii("GIF89a") + [0x2C, 1, 2, 0, 0xF0, 0, 0]),
        Case("old gif", .gif, [1, 2], ascii("GIF87a") + [1, 0, 2, 0]),
        Case("lossy webp", .webp, [320, 240], webp("VP8 ", [0x30, 1, 0, 0x9D, 1, 0x2A, 0x40, 0x41, 0xF0, 0x80])),
        Case("lossless webp", .webp, [320, 240], webp("VP8L", [0x2F] + CookieFile.little(319 | 239 << 14, 4))),
        Case("extended webp", .webp, [70_000, 1], webp("VP8X", [0, 0, 0, 0] + CookieFile.little(69_999, 3) + [0, 0, 0])),
        Case("broken webp", .webp, nil, webp("VP8L", [0x2E] + CookieFile.little(319, 4))),
        Case("heic", .heic, [4032, 3024], brands("heic", "mif1", "heic") + meta(properties)),
        Case("heic by its second name", .heic, [4032, 3024], brands("mif1", "miaf", "heix") + meta(properties)),
        Case("heic with a large box", .heic, [4032, 3024], brands("heic") + largeBox("free", [1, 2]) + meta(properties)),
        Case("avif", .avif, [1, 2], brands("avif", "mif1") + meta(extent(1, 2))),
        Case("heif of another kind", .heif, [1, 2], brands("mif1", "j2ki") + meta(extent(1, 2))),
        Case("heic without a size", .heic, nil, brands("heic", "mif1") + box("mdat", [1, 2, 3])),
        Case("heic to the file's end", .heic, nil, brands("heic") + [0, 0, 0, 0] + ascii("meta") + [0, 0]),
    ]

    @Test(arguments: cases)
    func headers(_ expected: Case) throws {
        let header = try #require(ImageHeader(expected.bytes))
        #expect(header.format == expected.format)
        #expect(header.width == expected.size?[0])
        #expect(header.height == expected.size?[1])
        #expect(header.mediaType == "image/" + expected.format.rawValue)
        #expect(
            header.side(bytes: 7) == .init(format: header.format.rawValue, width: header.width, height: header.height, bytes: 7))
    }

    @Test(
        arguments: [
            [], [0x89], Array(pngMagic.dropLast()), [0xFF, 0xD8], ascii("GIF88a"), ascii("RIFF\0\0\0\0WAVEfmt "), brands("qt  "),
            brands("mp42", "isom", "heic"), brands("isom"), ascii("ftypheic"), [0, 0, 0, 4] + ascii("ftypheic"),
        ] as [[UInt8]])
    func otherFiles(_ bytes: [UInt8]) {
        #expect(ImageHeader(bytes) == nil)
    }

    /// A cut header gives its size as it is, or none at all. The largest of several extents may be cut off.
    @Test(arguments: cases.filter { $0.bytes.count > 8 })
    func everyCut(_ expected: Case) {
        for count in expected.bytes.indices {
            guard let header = ImageHeader(Array(expected.bytes.prefix(count))) else { continue }
            #expect(header.format == expected.format || header.format == .heif, "\(count) bytes")
            guard let width = header.width, let height = header.height else { continue }
            #expect(width <= expected.size?[0] ?? 0 && height <= expected.size?[1] ?? 0, "\(count) bytes")
        }
    }

    @Test(arguments: cases)
    func everyFlippedBit(_ expected: Case) {
        var headers: Set<ImageHeader?> = []
        for place in expected.bytes.indices {
            for bit in 0..<8 {
                var bytes = expected.bytes
                bytes[place] ^= 1 << UInt8(bit)
                let header = ImageHeader(bytes)
                #expect((header?.width == nil) == (header?.height == nil))
                headers.insert(header)
            }
        }
        #expect(headers.contains(nil))
    }

    /// A small file with endless boxes, and as many boxes as fit.
    @Test func manyBoxes() {
        let many = (0..<5000).flatMap { _ in Self.box("free", []) }
        #expect(ImageHeader(Self.brands("heic") + many + Self.meta(Self.properties))?.width == nil)
        #expect(ImageHeader(Self.brands("heic") + many.prefix(8 * 100) + Self.meta(Self.properties))?.width == 4032)
        let brands = Self.box("ftyp", Self.ascii("mif1") + Array(repeating: 0x20, count: 1000) + Self.ascii("heic"))
        #expect(ImageHeader(brands)?.format == .heif)
    }

    @Test func pngOfPython() throws {
        let directory = try TemporaryDirectory()
        let script = """
            import struct, sys, zlib
            def chunk(kind, data):
                return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
            rows = b''.join(b'\\0' + b'\\1\\2\\3' * 33 for _ in range(21))
            png = b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 33, 21, 8, 2, 0, 0, 0))
            open(sys.argv[1], 'wb').write(png + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))
            """
        #expect(try Program.run("python3", ["-c", script, directory["a.png"]]).status == 0)
        let header = try #require(ImageHeader(Files.read(directory["a.png"])))
        #expect((header.format, header.width, header.height) == (.png, 33, 21))
    }
}
