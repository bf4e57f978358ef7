import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore

/// A keyed archive is one value in an overlay, because its objects refer to each other by number.
@Suite struct ArchiveOverlayTests {
    /// A dictionary as NSKeyedArchiver writes it: equal numbers are one object.
    private static func archive(_ entries: [(PlistString, Int)]) -> PlistValue {
        var objects: [PlistValue] = ["$null", [:]]
        func reference(_ value: PlistValue) -> PlistValue {
            if let known = objects.firstIndex(of: value) { return .uid(UInt64(known)) }
            objects.append(value)
            return .uid(UInt64(objects.count - 1))
        }
        let keys = entries.map { reference(.string($0.0)) }
        let values = entries.map { reference(.integer(PlistInteger($0.1))) }
        let name = reference(["$classname": "NSDictionary", "$classes": ["NSDictionary", "NSObject"]])
        objects[1] = ["NS.keys": .array(keys), "NS.objects": .array(values), "$class": name]
        return [
            "$archiver": "NSKeyedArchiver", "$version": 100_000, "$objects": .array(objects), "$top": ["root": .uid(1)],
        ]
    }

    private static let old = archive([("b", 4), ("a", 1)])
    private static let new = archive([("b", 4), ("a", 1), ("h", 1)])
    private static let plain: PlistValue = ["k": 1]
    private static let drifted = archive([("b", 4), ("f", 3)])
    /// An archive at the root, in a dictionary, and as an element that is found by its key or its index.
    private static let places: [@Sendable (PlistValue) -> PlistValue] = [
        { $0 }, { ["a": $0] }, { ["L": [1, $0]] }, { ["TestTargets": [["BlueprintName": "x", "a": $0]]] },
    ]

    @Test func isReplacedWhole() throws {
        for place in Self.places {
            for (old, new) in [(Self.old, Self.new), (Self.old, Self.plain), (Self.plain, Self.new)] {
                let overlay = try Overlay(turning: place(old), into: place(new), identities: SeededGenerator.identities)
                #expect(overlay.targets.flatMap(\.operations).map(\.action) == [.test(old), .replace(new)])
                #expect(try overlay.applied(to: place(old)).value == place(new))
                #expect(try overlay.inverted().applied(to: place(new)).value == place(old))
                #expect(try Overlay(overlay.document, format: .binary).applied(to: place(old)).value == place(new))
                let error = try #require(throws: OverlayError.self) { try overlay.applied(to: place(Self.drifted)) }
                #expect(error.code == .failedTest)
            }
        }
    }

    @Test func onlyOperationsSayIt() throws {
        for place in Self.places.dropLast() {
            let plain = try PlainOverlay(turning: ["x": place(Self.old)], into: ["x": place(Self.new)])
            guard place(1).dictionary?["L"] == nil else {
                // An array of unknown identity is replaced.
                #expect(plain.value == ["x": place(Self.new)])
                continue
            }
            #expect(plain.value == nil)
            #expect(plain.unmergeable.map(\.message) == ["a keyed archive can only be replaced"])
        }
    }

    @Test func nothingMergesIntoIt() throws {
        func merged(_ overlay: PlistValue, _ base: PlistValue) throws(OverlayError) -> PlistValue {
            try Overlay(overlay, format: .xml).applied(to: base).value
        }
        for (overlay, base, message) in [
            (Self.new, Self.old, "the overlay has a keyed archive, but the base has a different one"),
            (["k": 1], Self.old, "the overlay has a dictionary, but the base has a keyed archive"),
            (Self.new, ["k": 1], "the overlay has a keyed archive, but the base has a dictionary"),
        ] as [(PlistValue, PlistValue, String)] {
            let error = try #require(throws: OverlayError.self) { try merged(["a": overlay], ["a": base]) }
            #expect(error.code == .clash)
            #expect(error.message == message + ": a keyed archive can only be replaced")
            #expect(error.target?.description == "/a")
        }
        // An archive that exists already, an empty overlay, and an archive where there was no value.
        #expect(try merged(["a": Self.old], ["a": Self.old]) == ["a": Self.old])
        #expect(try merged(["a": [:]], ["a": Self.old]) == ["a": Self.old])
        #expect(try merged(["a": Self.old], ["b": 1]) == ["a": Self.old, "b": 1])
        #expect(try merged(Self.old, [:]) == Self.old)
    }
}
