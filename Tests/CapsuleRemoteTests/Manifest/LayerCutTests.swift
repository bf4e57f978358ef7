import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleRemote

/// A capsule of which only the places of its parts are known.
private struct Outline {
    var segments: [Range<UInt64>] = []
    var memberEnds: [UInt64: [UInt64]] = [:]

    static let mebibyte: UInt64 = 1 << 20

    /// Adds a segment with data in members of a length, and a tail.
    mutating func add(data: UInt64, tail: UInt64, member: UInt64 = 256 << 10) {
        let start = segments.last?.upperBound ?? 0
        let ends = Array(stride(from: start + member, to: start + data, by: Int(member))) + (data > 0 ? [start + data] : [])
        segments.append(start..<start + data + tail)
        memberEnds[start] = ends
    }

    init(_ count: Int = 0, data: UInt64 = 0, tail: UInt64 = 0, member: UInt64 = 256 << 10) {
        for _ in 0..<count { add(data: data, tail: tail, member: member) }
    }

    init(_ random: inout SeededGenerator, segments count: Int) {
        for _ in 0..<count {
            let tail = UInt64(random.number(200...100_000))
            switch random.number(0...9) {
            case 0: add(data: 0, tail: 500)
            case 1...5: add(data: UInt64(random.number(1...900_000)), tail: tail)
            case 6...8:
                add(data: UInt64(random.number(1...40_000_000)), tail: tail, member: UInt64(random.number(100_000...1_000_000)))
            default:
                add(data: UInt64(random.number(1...200_000_000)), tail: UInt64(random.number(200...3_000_000)), member: 250_000)
            }
        }
    }

    func prefix(_ count: Int) -> Outline {
        var part = self
        part.segments = Array(segments.prefix(count))
        return part
    }

    var length: UInt64 { segments.last?.upperBound ?? 0 }

    func cut(keeping known: [OCIManifest.Layer] = [], common: UInt64 = 0) throws -> [LayerCut.Layer] {
        let layers = try LayerCut.layers(of: segments, keeping: known, common: common) { (segment) throws(CapsuleError) in
            memberEnds[segment.lowerBound] ?? []
        }
        #expect(layers.count <= 400)
        #expect(layers.first?.range.lowerBound ?? 0 == 0 && layers.last?.range.upperBound ?? 0 == length)
        #expect(zip(layers, layers.dropFirst()).allSatisfy { $0.range.upperBound == $1.range.lowerBound })
        #expect(layers.allSatisfy { !$0.range.isEmpty })
        return layers
    }
}

extension [LayerCut.Layer] {
    fileprivate var spelled: [String] { map { "\($0.kind == .data ? "D" : $0.kind == .tail ? "T" : "S")\($0.range.count)" } }

    /// The layers as a manifest has them.
    fileprivate var stored: [OCIManifest.Layer] {
        map { OCIManifest.Layer(kind: $0.kind, digest: OCIDigest(.zero), size: UInt64($0.range.count)) }
    }
}

@Suite struct LayerCutTests {
    private static let mebibyte = Outline.mebibyte

    @Test func smallSegmentsAreWhole() throws {
        var outline = Outline(1, data: 1_000, tail: 500)
        outline.add(data: 0, tail: 400)
        outline.add(data: Self.mebibyte - 100, tail: 100)
        #expect(try outline.cut().spelled == ["S1500", "S400", "S1048576"])
        #expect(try Outline().cut().isEmpty)
    }

    @Test func largerSegmentsHaveDataAndATail() throws {
        #expect(try Outline(1, data: Self.mebibyte, tail: 100).cut().spelled == ["D1048576", "T100"])
        // An index alone, without data.
        #expect(try Outline(1, data: 0, tail: 2 * Self.mebibyte).cut().spelled == ["T2097152"])
        // Members don't end at the usual length, and a layer ends with the first that reaches it.
        #expect(
            try Outline(1, data: 70_000_000, tail: 100, member: 1_000_000).cut().spelled == [
                "D34000000", "D34000000", "D2000000", "T100",
            ])
        // A short rest joins the layer before it.
        #expect(
            try Outline(1, data: 68_900_000, tail: 100, member: 1_000_000).cut().spelled == ["D34000000", "D34900000", "T100"])
        #expect(try Outline(1, data: 34_000_000, tail: 100, member: 1_000_000).cut().spelled == ["D34000000", "T100"])
    }

    @Test func hugeSegmentsHaveFewerLayers() throws {
        let layers = try Outline(1, data: 20_000_000_000, tail: 3_000_000).cut()
        #expect(layers.count == 76)
        #expect(layers.dropLast(2).allSatisfy { $0.range.count == 256 << 20 })
    }

    @Test(arguments: [
        (1_000, 150_000, 370), (1_000, 5_000_000, 390), (10_000, 150_000, 400), (10_000, 5_000_000, 400), (20_000, 1_000, 400),
    ])
    func manyVersions(count: Int, length: Int, most: Int) throws {
        let outline = Outline(count, data: UInt64(length * 9 / 10), tail: UInt64(length / 10))
        let layers = try outline.cut()
        #expect(layers.count <= most, "\(layers.count)")
        // The newest versions stay by themselves.
        #expect(layers.last?.kind == (length <= Int(Self.mebibyte) ? .segment : .tail))
        #expect(layers.allSatisfy { $0.range.count <= 300 << 20 })
    }

    @Test func tooManyLayersAreRefused() {
        let error = failure { try Outline(30_000, data: 900, tail: 100).cut() }
        #expect(error?.code == .limit)
        #expect(error?.hint?.contains("capsule compact") == true)
    }

    @Test func theOldestGroupsAreJoinedFirst() throws {
        #expect(try Outline(400, data: 9_000, tail: 1_000).cut().allSatisfy { $0.kind == .segment })
        let layers = try Outline(401, data: 9_000, tail: 1_000).cut()
        #expect(layers.spelled.prefix(2) == ["D640000", "S10000"] && layers.count == 338)
        let more = try Outline(1_000, data: 9_000, tail: 1_000).cut()
        #expect(more.filter { $0.kind == .data }.count == 10 && more.count == 370)
    }

    @Test(arguments: SeededGenerator.seeds)
    func growthKeepsWhatWasCut(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<rounds(20) {
            let whole = Outline(&random, segments: random.number(2...300))
            let part = whole.prefix(random.number(1...whole.segments.count - 1))
            let (old, new) = (try part.cut(), try whole.cut())
            // Apart from joined groups, whose layers are of data alone, the old layers are among the new ones.
            let joined = new.prefix { $0.kind == .data }.last?.range.upperBound ?? 0
            let kept = Set(new.map(\.range))
            #expect(
                old.allSatisfy { kept.contains($0.range) || $0.range.upperBound <= max(joined, Self.joinedEnd(new, of: whole)) },
                "seed \(seed)")
            // With the old manifest, nothing before its end is cut again unless it has to be joined.
            let grown = try whole.cut(keeping: old.stored, common: part.length)
            #expect(grown.map(\.range) == new.map(\.range), "seed \(seed)")
            for layer in grown where layer.known != nil { #expect(layer.range == old[layer.known ?? 0].range, "seed \(seed)") }
            #expect(Set(grown.compactMap(\.known)).count == grown.count { $0.known != nil })
        }
    }

    /// The end of the last group that was joined: the last layer that crosses the end of a segment.
    private static func joinedEnd(_ layers: [LayerCut.Layer], of outline: Outline) -> UInt64 {
        let ends = outline.segments.map(\.upperBound)
        let crossing = layers.last { layer in ends.contains { $0 > layer.range.lowerBound && $0 < layer.range.upperBound } }
        guard let crossing else { return 0 }
        let groups = stride(from: 63, to: outline.segments.count, by: 64).map { outline.segments[$0].upperBound }
        return groups.first { $0 >= crossing.range.upperBound } ?? crossing.range.upperBound
    }

    @Test(arguments: SeededGenerator.seeds)
    func otherCutsAreTakenOver(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<rounds(40) {
            let whole = Outline(&random, segments: random.number(1...60))
            // Pieces of any length, up to any place.
            var known: [OCIManifest.Layer] = []
            var offset: UInt64 = 0
            while known.count < random.number(1...40), offset < whole.length {
                let size = min(whole.length - offset, UInt64(random.number(1...50_000_000)))
                known.append(
                    OCIManifest.Layer(kind: random.pick([.data, .tail, .segment]), digest: OCIDigest(.zero), size: size))
                offset += size
            }
            let common = UInt64(random.number(0...Int(offset)))
            let layers = try whole.cut(keeping: known, common: common)
            let kept = layers.prefix { $0.known != nil }
            let end = kept.last?.range.upperBound ?? 0
            #expect(end <= common, "seed \(seed)")
            #expect(kept.count == known.count || end + known[kept.count].size > common, "seed \(seed)")
            #expect(
                kept.enumerated().allSatisfy {
                    $0.offset == $0.element.known && UInt64($0.element.range.count) == known[$0.offset].size
                })
            #expect(layers.dropFirst(kept.count).allSatisfy { $0.known == nil })
        }
    }

    /// Versions are uploaded one by one, each with the manifest of the one before.
    @Test func uploadsSendLittle() throws {
        let whole = Outline(1_000, data: 130_000, tail: 20_000)
        var known: [OCIManifest.Layer] = []
        var sent: UInt64 = 0
        var joins = 0
        for count in 1...1_000 {
            let part = whole.prefix(count)
            let layers = try part.cut(keeping: known, common: part.segments.dropLast().last?.upperBound ?? 0)
            let new = layers.filter { $0.known == nil }.reduce(0) { $0 + $1.range.count }
            sent += UInt64(new)
            if new > 150_000 { joins += 1 }
            known = layers.stored
        }
        // Every byte is sent twice at most.
        #expect(sent <= 2 * whole.length)
        #expect(joins == 10)
        #expect(known.count == 370)
        #expect(try whole.cut().stored == known)
    }

    /// A cut of another kind is given up only if there are too many layers otherwise.
    @Test func unknownCutsGiveWayToTheLimit() throws {
        let outline = Outline(300, data: 100_000, tail: 20_000)
        let known = [OCIManifest.Layer](
            repeating: OCIManifest.Layer(kind: .data, digest: OCIDigest(.zero), size: 50_000), count: 500)
        let layers = try outline.cut(keeping: known, common: 25_000_000)
        #expect(layers.allSatisfy { $0.known == nil } && layers.count == 300)
    }

    /// Segments that are taken over are not looked into.
    @Test func onlySegmentsThatAreCutAreReadFrom() throws {
        var outline = Outline(300, data: 2_000_000, tail: 10_000)
        let known = try outline.prefix(100).cut().stored
        outline = outline.prefix(101)
        var asked: [UInt64] = []
        _ = try LayerCut.layers(of: outline.segments, keeping: known, common: outline.segments[99].upperBound) {
            (segment) throws(CapsuleError) in
            asked.append(segment.lowerBound)
            return outline.memberEnds[segment.lowerBound] ?? []
        }
        #expect(asked == [outline.segments[100].lowerBound])
    }
}
