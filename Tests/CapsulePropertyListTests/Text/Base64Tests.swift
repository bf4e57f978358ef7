import Foundation
import TestSupport
import Testing

@testable import CapsulePropertyList

@Suite struct Base64Tests {
    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func bytesAreSpelled(data: String, text: String) {
        #expect(Base64.encode(Array(data.utf8)) == Array(text.utf8))
    }

    @Test(arguments: SeededGenerator.seeds)
    func agreesWithFoundation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for count in 0...300 {
            let data = random.bytes(count)
            let text = Base64.encode(data)
            #expect(text == Array(Data(data).base64EncodedData()), "seed \(seed), \(count) bytes")
            #expect(text.withUnsafeBytes { Base64.decode($0) } == data, "seed \(seed), \(count) bytes")
        }
    }
}
