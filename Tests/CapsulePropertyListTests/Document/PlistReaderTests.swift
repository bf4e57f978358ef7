import CapsulePropertyList
import Testing

@Suite struct PlistReaderTests {
    @Test func readsBytesInPlace() throws {
        for (document, format) in [
            (xml("<string>é</string>"), PlistFormat.xml), (BinaryFixture.bytes([[0x61, 0x00, 0xE9]]), .binary),
        ] {
            let results: [Result<PlistValue, PlistError>] = document.withUnsafeBytes { bytes in
                [
                    Result { () throws(PlistError) in try PlistReader.read(bytes).value },
                    Result { () throws(PlistError) in try PlistReader.readLeniently(bytes).value },
                ]
            }
            for result in results { #expect(try result.get() == "é") }
            #expect(try PlistReader.read(document).format == format)
        }
    }

    @Test func aDocumentInsideALargerBufferIsReadAlone() throws {
        let document = xml("<array><integer>1</integer></array>")
        let buffer = [UInt8](repeating: 0x3C, count: 7) + document + [UInt8](repeating: 0x3C, count: 7)
        let value = try buffer.withUnsafeBytes { bytes in
            try PlistReader.read(UnsafeRawBufferPointer(rebasing: bytes[7..<7 + document.count])).value
        }
        #expect(value == [1])
    }

    @Test func errorsDescribeThemselves() {
        let errors: [(PlistError?, String)] = [
            (readingError(xml("<array><int/></array>")), "1:29: unknown element <int> (at /0)"),
            (readingError(BinaryFixture.bytes([[0x00]])), "byte 8, object 0: a null, which property lists do not support"),
            (readingError([]), "not a property list: empty"),
            (writingError([.date(0.5)]), "XML can't hold fractions of a second in a date: 0.5 (at /0)"),
        ]
        for (error, text) in errors { #expect(error?.description == text) }
        #expect(PlistError.Code.duplicateKey.description == "duplicateKey")
        #expect(PlistLocation.binary(offset: 3, object: nil).description == "byte 3")
    }
}
