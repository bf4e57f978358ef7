import CapsuleArchive
import CapsuleCore
import Testing

@testable import CapsuleRemote

@Suite struct HistoryTests {
    private static func history(_ versions: [UInt32], labels: [UInt64] = [], digest: UInt8 = 0) -> History {
        func end(_ offset: UInt64) -> CapsuleConfig.End { CapsuleConfig.End(offset: offset, footer: .zero) }
        return History(
            CapsuleConfig(
                codec: .gzip, isOverlay: false, name: Array("n".utf8), layout: .container,
                versions: versions.map { number in
                    CapsuleConfig.Version(
                        number: number, label: nil, captured: Timestamp(seconds: 0), entries: 0, bytes: 0,
                        end: end(UInt64(number) * 100), tree: .zero, content: .zero, source: .bundle, bundle: nil)
                },
                labels: labels.compactMap { offset in
                    VersionLabel("a").map { CapsuleConfig.Label(label: $0, version: 1, end: end(offset)) }
                }))
    }

    @Test func relationsAreFound() {
        func relation(_ own: History, _ other: History) -> HistoryRelation { HistoryRelation(of: own, with: other) }
        func end(_ offset: UInt64) -> History.End { History.End(offset: offset, footer: .zero) }
        let two = Self.history([1, 2])
        #expect(relation(two, two) == .same)
        #expect(relation(two, Self.history([1, 2, 3])) == .behind(end(200)))
        #expect(relation(Self.history([1, 2, 3]), two) == .ahead(end(200)))
        #expect(relation(two, Self.history([1, 2], labels: [250])) == .behind(end(200)))
        #expect(relation(Self.history([1, 2, 3]), Self.history([1, 2], labels: [250])) == .parted(end(200)))
        #expect(relation(two, Self.history([2, 3])) == .parted(nil))
    }

    @Test func versionsAreNamed() {
        let history = Self.history([1, 2, 4], labels: [250, 450])
        let ends = history.ends
        #expect(ends.map(\.offset) == [100, 200, 250, 400, 450])
        #expect(history.length == 450 && history.newest == 4)
        #expect(history.shown(after: nil) == "versions 1 to 4" && history.shown(after: ends[2]) == "version 4")
        #expect(history.shown(after: ends[3]) == "labels" && history.versions(after: ends[0]) == [2, 4])
        #expect(history.version(upTo: ends[2]) == 2 && history.version(upTo: nil) == nil)
    }
}
