import CapsulePropertyList
import TestSupport
import Testing

/// Ten thousand documents of each encoding, there and back.
@Suite struct RoundTripTests {
    /// Documents that are made and gone through at once.
    static let batch = 500
    /// The last batch is another one each time.
    static let seeds: [UInt64] = (1...19).map { UInt64($0) } + [SeededGenerator.seeds.last ?? 20]

    @Test(arguments: RoundTripEncoding.allCases, seeds)
    func tenThousandDocumentsReadBack(_ encoding: RoundTripEncoding, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<Self.batch {
            let value = encoding.value(depth: number % 50 == 0 ? 3 : number % 3, using: &generator)
            let comment: Comment = "seed \(seed), document \(number)"
            let written = try encoding.write(value)
            let back = try encoding.read(written)
            #expect(back == value, comment)
            // The order of keys too, which equality does not see.
            #expect(try encoding.write(back) == written, comment)
        }
    }

    @Test(arguments: RoundTripEncoding.allCases, SeededGenerator.seeds)
    func fiveRunsGiveTheSameBytes(_ encoding: RoundTripEncoding, seed: UInt64) throws {
        func documents() throws -> [[UInt8]] {
            var generator = SeededGenerator(seed: seed)
            return try (0..<100).map { try encoding.write(encoding.value(depth: $0 % 4, using: &generator)) }
        }
        let first = try documents()
        for _ in 1..<5 { #expect(try documents() == first, "seed \(seed)") }
    }

    /// The bytes that any machine makes of the same values. A change of what the writers spell, or of how the values are
    /// made, changes these numbers; nothing else may.
    @Test(
        arguments: [
            (RoundTripEncoding.xml, 0x4DF5_11D2_F72B_74C1), (.binary, 0xB211_D7C4_FF2C_A004), (.json, 0xE1DD_A003_D939_F8C2),
            (.typedJSON, 0x8DF3_8BD4_E34A_A95D), (.openStep, 0xA0C8_A310_EC9C_3466),
        ] as [(RoundTripEncoding, UInt64)])
    func theBytesAreThoseOfOtherMachines(_ encoding: RoundTripEncoding, sum: UInt64) throws {
        var generator = SeededGenerator(seed: 1)
        // FNV-1a.
        var found: UInt64 = 0xCBF2_9CE4_8422_2325
        for number in 0..<200 {
            for byte in try encoding.write(encoding.value(depth: number % 4, using: &generator)) {
                found = (found ^ UInt64(byte)) &* 0x100_0000_01B3
            }
        }
        #expect(found == sum)
    }

    /// Values of any kind in all encodings: they come back, or an error names the first place that can't be held.
    @Test(arguments: RoundTripEncoding.allCases, Array(1...5) + SeededGenerator.seeds)
    func whatCannotBeHeldIsNamed(_ encoding: RoundTripEncoding, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<200 {
            let comment: Comment = "seed \(seed), document \(number)"
            let source = generator.pick(RoundTripEncoding.allCases)
            let value = source.value(depth: number % 3, using: &generator)
            let holds = encoding.holds(value)
            do throws(PlistError) {
                #expect(try encoding.read(try encoding.write(value)) == value, comment)
                #expect(holds, comment)
            } catch {
                #expect(!holds, comment)
                #expect(error.code == .notRepresentable, comment)
                let place = try PlistPointer(error.pointer ?? "/")
                let found = try value.value(at: place)
                // A key that can't be held is named by its value's place.
                let around = try place.parent.map { parent throws(PlistError) in try value.value(at: parent) }
                #expect(encoding.refuses(found) || around.map(encoding.refuses) == true, comment)
            }
        }
    }
}
