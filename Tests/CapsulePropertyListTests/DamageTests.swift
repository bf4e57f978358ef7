import CapsulePropertyList
import Foundation
import TestSupport
import Testing

/// However a document is damaged, reading it results in a value or an error, and the value can be used.
@Suite struct DamageTests {
    static let documents: [[UInt8]] = {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><!-- c --><dict><key>é&amp;&#x41;</key><array><integer>-12</integer><real>1.5e3</real><true/>
            <date>2001-01-01T00:00:00Z</date><data>AAEC AwQ=</data><string><![CDATA[<x>]]>\r\n</string></array>
            <key>CF$UID</key><integer>0x1F</integer></dict></plist>
            """
        let wide = utf16(text)
        let binary = BinaryFixture.bytes(
            [
                [0xD2, 1, 2, 3, 4], BinaryFixture.string("key"), [0x62, 0x00, 0xE9, 0xD8, 0x3D], [0xA7, 5, 6, 7, 8, 9, 10, 4],
                [0xA2, 1, 1],
                [0x11, 1, 2], [0x23, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0], [0x33, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0],
                [0x4F, 0x10, 3, 1, 2, 3], [0x81, 1, 2], [0x09],
            ].map { $0 == [0x62, 0x00, 0xE9, 0xD8, 0x3D] ? [0x63, 0x00, 0xE9, 0xD8, 0x3D, 0xDE, 0x00] : $0 })
        let shared = BinaryFixture.bytes((1...10).map { [0xA2, $0, $0] } + [[0x10, 0x2A]]) { $0.offsetBytes = 2 }
        return [Array(text.utf8), wide, binary, shared, Array(json.utf8), utf16(json), Array(openStep.utf8)]
    }()

    /// Documents that may still be valid if they are truncated.
    static let openEnded: [[UInt8]] = [
        Array("/* é */\n\"a b\" = \"\\U00e9\\101\\n\"; c; // d\n'e' = { f = (<00ff>, g); };\n".utf8),
        utf16("\"é\" = \"日本\";\n"), Array("[]\n".utf8), Array("-12.5e3".utf8), Array("\"a\\u00e9\"".utf8),
    ]

    static let damaged = documents + openEnded

    private static let json = """
        {"é\\u00e9\\n": [1, -2.5e3, 18446744073709551615, true, false, null, "😀\\uD83D\\uDE00", {}, []],
         "$data": "AAEC", "a/b~c": {"$date": "2001-01-01T00:00:00.5Z", "x": 0.1}}
        """

    private static let openStep = """
        // !$*UTF8*$!
        { "é\\U00e9\\341" = (1, 'b "c"', <0fbd77 1c>, { }, ( ), "😀\\UD83D\\UDE00\\\n"); /* d */ e.f = g; h; }
        """

    private static func utf16(_ text: String) -> [UInt8] {
        text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    /// The property lists of a sample container.
    private static let samples: [String] = {
        let files = FileManager.default.enumerator(atPath: PackageFiles.samples)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.hasSuffix(".plist") && $0.contains("before") }.sorted()
    }()

    @Test func thereAreSamples() {
        #expect(Self.samples.count >= 5)
    }

    /// A truncated document has the same value only if nothing but trailing space was removed. One that is cut after its first
    /// comment, in OpenStep, is an empty dictionary.
    @Test(arguments: samples)
    func samplesAreCutAndFlipped(_ name: String) throws {
        let document = try Files.read(PackageFiles.samples + "/" + name)
        let value = try read(document)
        for place in sample(of: document.indices, oneIn: 4) {
            if let cut = try? PlistReader.read(Array(document[..<place])), cut != ([:], .openStep) {
                #expect(cut.value == value, "cut at \(place)")
            }
            var changed = document
            changed[place] ^= 1 << UInt8(place % 8)
            use(changed)
        }
    }

    @Test(arguments: damaged.indices)
    func isReadWhenWhole(_ index: Int) throws {
        _ = try read(Self.damaged[index])
    }

    @Test(arguments: openEnded.indices)
    func cutWhereItMayEnd(_ index: Int) {
        for length in Self.openEnded[index].indices { use(Array(Self.openEnded[index][..<length])) }
    }

    @Test(arguments: documents.indices)
    func cutAtEveryByte(_ index: Int) {
        let document = Self.documents[index]
        for length in 0..<document.count {
            // The bounds checks of a debug build would detect a read past the end.
            let cut = try? PlistReader.read(Array(document[..<length]))
            #expect(cut.map { $0 == ([:], .openStep) } ?? true, "cut at \(length)")
        }
    }

    /// The short form tries two or three of the seven patterns at each byte.
    @Test(arguments: damaged.indices, [0x01, 0x80, 0xFF, 0x20, 0x0F, 0xF0, 0x55] as [UInt8])
    func everyByteFlipped(_ index: Int, _ pattern: UInt8) {
        for place in sample(of: Self.damaged[index].indices, oneIn: 3, from: Int(pattern)) {
            var document = Self.damaged[index]
            document[place] ^= pattern
            use(document)
        }
    }

    /// The short form tries one to four of the seven bytes at each place.
    @Test(arguments: damaged.indices, [0x00, 0x3C, 0x26, 0x7F, 0x22, 0x5C, 0x7B] as [UInt8])
    func everyByteReplaced(_ index: Int, _ byte: UInt8) {
        for place in sample(of: Self.damaged[index].indices, oneIn: 3, from: Int(byte)) {
            var document = Self.damaged[index]
            document[place] = byte
            use(document)
        }
    }

    @Test(arguments: damaged.indices, Array(1...4) + [SeededGenerator.seed])
    func manyBytesChanged(_ index: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<rounds(500) {
            var document = Self.damaged[index]
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: document.indices, using: &generator)
                switch UInt8.random(in: 0..<3, using: &generator) {
                case 0: document[place] = UInt8(truncatingIfNeeded: generator.next())
                case 1 where document.count > 1: document.remove(at: place)
                default: document.insert(document[Int.random(in: document.indices, using: &generator)], at: place)
                }
            }
            use(document)
        }
    }

    /// Reads the document strictly and leniently, and compares, hashes, writes and edits the value.
    private func use(_ document: [UInt8]) {
        let limits = PlistLimits(outputBytes: 1 << 16)
        do throws(PlistError) {
            let (value, _, warnings) = try PlistReader.readLeniently(document, limits: limits)
            #expect(value == value)
            _ = value.hashValue
            _ = warnings.map { $0.description }
            let typed = try JSONPlistWriter.write(value, options: .typed, limits: limits)
            #expect(try PlistReader.read(typed, json: .typed).value == value)
            let plain = try PlistConversion(of: value, to: .openStep, limits: limits).value
            #expect(try read(try OpenStepPlistWriter.write(plain, limits: limits)) == plain)
            let binary = try BinaryPlistWriter.write(value, limits: limits)
            #expect(try read(binary) == value)
            if document.starts(with: "bplist".utf8) {
                let changed: PlistValue = [value, ["new": value]]
                let whole = try PlistDocument.read(document, isLenient: true)
                #expect(try whole.bytes(holding: value) == document)
                #expect(try read(try whole.bytes(holding: changed)) == changed)
            }
            let written = try XMLPlistWriter.write(value, limits: limits)
            #expect(try read(written) == value)
        } catch {
            #expect(!error.message.isEmpty)
        }
        if let error = readingError(document, limits: limits) { #expect(!error.description.isEmpty) }
        for format in [PlistFormat.json, .openStep] {
            let error = readingError(document, accepting: [format], limits: limits)
            #expect(error?.description.isEmpty != true)
        }
    }
}
