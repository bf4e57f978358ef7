import CapsulePropertyList
import TestSupport
import Testing

/// Writes and reads documents in each encoding: ten thousand in the long form, a quarter of them in the short one.
@Suite struct RoundTripTests {
    /// The number of documents per test case.
    static let batch = rounds(500)
    /// The last seed is different in each run.
    static let seeds: [UInt64] = (1...19).map { UInt64($0) } + [SeededGenerator.seeds.last ?? 20]

    @Test(arguments: RoundTripEncoding.allCases, seeds)
    func manyDocumentsReadBack(_ encoding: RoundTripEncoding, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<Self.batch {
            let value = encoding.value(depth: number % 50 == 0 ? 3 : number % 3, using: &generator)
            let comment: Comment = "seed \(seed), document \(number)"
            let written = try encoding.write(value)
            let back = try encoding.read(written)
            #expect(back == value, comment)
            // This also compares the order of keys, which equality ignores.
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

    /// Compares the bytes with those from other machines. Only a change of the writers or of the value generator may change these
    /// checksums.
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

    /// Writes values of any kind in all encodings. Each one reads back the same, or an error names the first place that can't be
    /// represented.
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
                // The error for an invalid key has the pointer of its value.
                let around = try place.parent.map { parent throws(PlistError) in try value.value(at: parent) }
                #expect(encoding.refuses(found) || around.map(encoding.refuses) == true, comment)
            }
        }
    }
}
