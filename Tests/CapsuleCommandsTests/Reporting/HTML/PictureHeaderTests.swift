import Foundation
import TestSupport
import Testing

@testable import CapsuleCommands
@testable import CapsuleCore

@Suite struct PictureHeaderTests {
    private static func hexadecimal(_ text: String) -> [UInt8] {
        text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }

    static let jpeg = hexadecimal("FF D8 FF E0 00 04 4A 46 FF FF DB 00 03 00 FF C2 00 0B 08 01 02 03 04 01 01 11 00")
    static let extended =
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8X".utf8) + hexadecimal("0A 00 00 00 00 00 00 00 FF 01 00 02 00 01")
    static let lossless = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8L".utf8) + hexadecimal("00 00 00 00 2F 63 C0 31 00")
    static let lossy =
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8 ".utf8) + hexadecimal("00 00 00 00 00 00 00 9D 01 2A 90 41 2C 01")

    @Test(
        arguments: [
            (SamplePictures.disc.bytes, .png, 96, 96), (SamplePictures.dot.bytes, .gif, 1, 1), (jpeg, .jpeg, 0x0304, 0x0102),
            (extended, .webp, 512, 65_539), (lossless, .webp, 100, 200), (lossy, .webp, 400, 300),
        ] as [([UInt8], PictureHeader.Format, UInt64, UInt64)])
    func formatsAndSizesAreRead(bytes: [UInt8], format: PictureHeader.Format, width: UInt64, height: UInt64) {
        let header = PictureHeader(bytes)
        #expect(header?.format == format && header?.width == width && header?.height == height, "\(String(describing: header))")
        // Truncated anywhere, the header has the right size or is nil.
        for length in 0..<bytes.count {
            let cut = PictureHeader(Array(bytes.prefix(length)))
            #expect(cut == nil || cut == header, "\(length)")
        }
    }

    @Test(
        arguments: [
            "", "<svg xmlns='http://www.w3.org/2000/svg'/>", "\u{0}\u{0}\u{0}\u{18}ftypheic", "BM", "GIF89b\u{1}\u{0}\u{1}\u{0}",
            "RIFF\u{0}\u{0}\u{0}\u{0}WAVEfmt ",
        ])
    func whatIsNoImageHasNone(text: String) {
        #expect(PictureHeader(Array(text.utf8)) == nil)
    }

    @Test func segmentsThatLeadNowhereEnd() {
        // A segment of length 0, one that extends past the end, picture data before the size, and fill bytes only.
        for tail in ["FF E0 00 00 FF", "FF E0 FF FF", "FF DA 00 02", "FF D9", "FF FF FF FF", "FF D0 FF D1", "00 00"] {
            #expect(PictureHeader(Self.hexadecimal("FF D8 " + tail)) == nil, "\(tail)")
        }
        #expect(PictureHeader(Self.hexadecimal("47 49 46 38 39 61 00 00 01 00")) == nil)
    }

    @Test(arguments: SeededGenerator.seeds)
    func noBytesAreTrouble(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            var bytes = [Self.jpeg, Self.extended, Self.lossless, SamplePictures.disc.bytes].randomElement(using: &random) ?? []
            for _ in 0..<3 { bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random) }
            if let header = PictureHeader(bytes) { #expect(header.width > 0 && header.height > 0, "\(bytes)") }
        }
    }
}
