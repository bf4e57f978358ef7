import CapsulePropertyList
import Testing

@testable import CapsuleCore
@testable import CapsuleOverlay

/// Composing and inverting of records that diffs don't write.
@Suite struct FileRecordComposingTests {
    private static let digests = ["X": String(repeating: "01", count: 32), "Y": String(repeating: "02", count: 32)]

    /// A document in JSON, in which `X` and `Y` are contents of four bytes.
    private static func read(_ files: String, more: String = "") throws -> Overlay {
        var files = files
        for (name, digest) in digests {
            files = files.split(separator: "<\(name)>", omittingEmptySubsequences: false)
                .joined(separator: #""Size":4,"Digest":"\#(digest)""#)
        }
        return try Overlay(reading: Array(#"{"CapsuleOverlay":1\#(more),"Files":[\#(files)]}"#.utf8))
    }

    @Test(
        arguments: [
            // A part that only one of the records gives.
            (
                #"{"Path":"a","Old":{"Kind":"file","Mode":"600"},"New":{"Kind":"file","Mode":"644"}}"#,
                #"{"Path":"a","Old":{"Kind":"file",<X>},"New":{"Kind":"file",<Y>}}"#,
                #"{"Path":"a","Old":{"Kind":"file","Mode":"600",<X>},"New":{"Kind":"file","Mode":"644",<Y>}}"#
            ),
            // A part that the first record does not require is not required.
            (
                #"{"Path":"a","Old":{"Kind":"file"},"New":{"Kind":"file","Mode":"644",<X>}}"#,
                #"{"Path":"a","Old":{"Kind":"file","Mode":"644",<X>},"New":{"Kind":"file","Mode":"600",<Y>}}"#,
                #"{"Path":"a","Old":{"Kind":"file"},"New":{"Kind":"file","Mode":"600",<Y>}}"#
            ),
            // A part that the second record does not change stays as the first one made it.
            (
                #"{"Path":"a","New":{"Kind":"file","Mode":"644",<X>}}"#,
                #"{"Path":"a","Old":{"Kind":"file","Mode":"644"},"New":{"Kind":"file","Mode":"600"}}"#,
                #"{"Path":"a","New":{"Kind":"file","Mode":"600",<X>}}"#
            ),
            (
                #"{"Path":"a","New":{"Kind":"directory"}},{"Path":"a/b","New":{"Kind":"link","Target":"x"}}"#,
                #"{"Path":"a/b","Old":{"Kind":"link","Target":"x"}},{"Path":"c"}"#,
                #"{"Path":"a","New":{"Kind":"directory"}},{"Path":"c"}"#
            ),
            // Both records only check a state.
            (
                #"{"Path":"a","Old":{"Kind":"file",<X>},"New":{"Kind":"file",<X>}},{"Path":"b"}"#,
                #"{"Path":"a","Old":{"Kind":"file",<X>},"New":{"Kind":"file",<X>}},{"Path":"b"}"#,
                #"{"Path":"a","Old":{"Kind":"file",<X>},"New":{"Kind":"file",<X>}},{"Path":"b"}"#
            ),
            // A directory with a file, created and deleted again.
            (
                #"{"Path":"a","New":{"Kind":"directory"}},{"Path":"a/b","New":{"Kind":"file",<X>}}"#,
                #"{"Path":"a","Old":{"Kind":"directory"}},{"Path":"a/b","Old":{"Kind":"file",<X>}}"#, ""
            ),
        ] as [(String, String, String)])
    func recordsAreJoined(first: String, second: String, both: String) throws {
        let composed = try Self.read(first).composed(with: try Self.read(second))
        #expect(try composed == Self.read(both))
    }

    @Test(
        arguments: [
            (
                #"{"Path":"a","New":{"Kind":"file",<X>}}"#, #"{"Path":"a","Old":{"Kind":"file",<Y>}}"#,
                #""a": the first overlay leaves a file, 4 bytes, digest 010101010101, but the second expects a file, 4 bytes, digest 020202020202"#
            ),
            (
                #"{"Path":"a","Old":{"Kind":"file","Mode":"644"}}"#, #"{"Path":"a","Old":{"Kind":"file","Mode":"644"}}"#,
                #""a": the first overlay leaves nothing, but the second expects a file, 0644"#
            ),
            (
                #"{"Path":"a","New":{"Kind":"link","Target":"x"}}"#, #"{"Path":"a","Old":{"Kind":"link","Target":"y"}}"#,
                #""a": the first overlay leaves a link to "x", but the second expects a link to "y""#
            ),
            (
                // The first record leaves the mode that it required before.
                #"{"Path":"a","Old":{"Kind":"file","Mode":"644",<X>},"New":{"Kind":"file",<Y>}}"#,
                #"{"Path":"a","Old":{"Kind":"file","Mode":"600"}}"#,
                #""a": the first overlay leaves a file, 4 bytes, digest 020202020202, but the second expects a file, 0600"#
            ),
            (
                #"{"Path":"a","Old":{"Kind":"directory"}}"#, #"{"Path":"a/b","Old":{"Kind":"file",<X>}}"#,
                #""a" between the two overlays does not exist, but "a/b" is inside it"#
            ),
            (
                #"{"Path":"a","New":{"Kind":"directory"}}"#, #"{"Path":"a/b","Old":{"Kind":"file",<X>}}"#,
                #""a" before both overlays does not exist, but "a/b" is inside it"#
            ),
            (
                #"{"Path":"a/b","New":{"Kind":"file",<X>}}"#, #"{"Path":"a","Old":{"Kind":"directory"}}"#,
                #""a" after both overlays does not exist, but "a/b" is inside it"#
            ),
        ] as [(String, String, String)])
    func whatDoesNotGoTogetherIsNotComposed(first: String, second: String, message: String) throws {
        let (one, other) = (try Self.read(first), try Self.read(second))
        let error = #expect(throws: OverlayError.self) { try one.composed(with: other) }
        #expect(error?.message == message)
        #expect(error?.code == .unsupported)
    }

    // MARK: Targets

    private static let values =
        #","Targets":[{"Path":"a","Operations":[{"op":"test","path":"/k","value":1},{"op":"replace","path":"/k","value":2}]}]"#
    private static let record = #"{"Path":"a","Old":{"Kind":"file",<X>},"New":{"Kind":"file",<Y>}}"#
    private static let back = #"{"Path":"a","Old":{"Kind":"file",<Y>},"New":{"Kind":"file",<X>}}"#
    private static let on = #"{"Path":"a","Old":{"Kind":"file",<Y>},"New":{"Kind":"file","Mode":"600",<Y>}}"#

    @Test func targetsStayWhereBothHaveThem() throws {
        let both = try Self.read(Self.record, more: Self.values).composed(with: Self.read(Self.back, more: Self.values))
        #expect(both.targets.count == 2 && both.files.isEmpty)
        // If the second has only the bytes, the values of the first don't describe the whole change.
        let one = try Self.read(Self.record, more: Self.values).composed(with: Self.read(Self.on))
        #expect(one.targets.isEmpty && one.files.count == 1)
        let other = try Self.read(Self.on).composed(
            with: Self.read(#"{"Path":"a","Old":{"Kind":"file","Mode":"600",<Y>},"New":{"Kind":"file",<X>}}"#, more: Self.values))
        #expect(other.targets.isEmpty && other.files.count == 1)
        // A change of the mode does not affect values.
        let mode = #"{"Path":"a","Old":{"Kind":"file","Mode":"600"},"New":{"Kind":"file","Mode":"644"}}"#
        #expect(try Self.read("", more: Self.values).composed(with: Self.read(mode)).targets.count == 1)
        let elsewhere = Self.values.split(separator: #""a""#).joined(separator: #""b""#)
        #expect(try Self.read("", more: elsewhere).composed(with: Self.read(Self.record)).targets.count == 1)
    }

    @Test(arguments: [
        values, #","Targets":[{"Path":"*","Merge":{}}]"#, #","Targets":[{"Path":"$(X)","Merge":{}}]"#,
        #","Targets":[{"Path":"a","When":{"A":true},"Merge":{}}]"#,
    ])
    func valuesAndBytesOfOneFileAreNotComposed(targets: String) throws {
        let (values, bytes) = (try Self.read("", more: targets), try Self.read(Self.record))
        for (one, other) in [(values, bytes), (bytes, values)] {
            let error = #expect(throws: OverlayError.self) { try one.composed(with: other) }
            #expect(error?.code == .unsupported)
            #expect(error?.message.hasPrefix(#""a": the "#) == true)
        }
    }

    @Test func targetsOfGroupsAreMet() throws {
        let group = #","Targets":[{"Path":"a","Root":"AppGroup:g","Merge":{}}]"#
        let record = #"{"Path":"AppGroups/g/a","Old":{"Kind":"file",<X>},"New":{"Kind":"file",<Y>}}"#
        #expect(throws: OverlayError.self) { try Self.read("", more: group).composed(with: Self.read(record)) }
        #expect(try Self.read("", more: group).composed(with: Self.read(Self.record)).targets.count == 1)
        let bundle = #","Targets":[{"Path":"a","Root":"AppBundle","Merge":{}}]"#
        #expect(try Self.read("", more: bundle).composed(with: Self.read(Self.record)).targets.count == 1)
    }

    @Test func recordsHaveNoConditions() throws {
        let when = #","When":{"A":true}"#
        let conditioned = try Self.read(Self.record, more: when)
        let error = #expect(throws: OverlayError.self) { try conditioned.composed(with: Self.read(Self.on)) }
        #expect(error?.source?.description == "/When")
        #expect(try conditioned.composed(with: Self.read(Self.on, more: when)).conditions.count == 1)
        let plist = try Self.read("", more: #","When":{"A":true},"Targets":[{"Path":"p","Merge":{}}]"#)
        #expect(try Self.read(Self.record).composed(with: plist).targets.first?.conditions.count == 1)
    }

    /// A target that can't be inverted is not needed if the record has the bytes.
    @Test func aRecordInvertsWhatATargetDoesNotSay() throws {
        let merge = #","Targets":[{"Path":"a","Merge":{"k":2}}]"#
        let inverse = try Self.read(Self.record, more: merge).inverted()
        #expect(inverse.targets.isEmpty)
        #expect(try inverse.files == Self.read(Self.back).files)
        #expect(try Self.read(Self.record, more: Self.values).inverted().targets.count == 1)
        let half = #"{"Path":"a","Old":{"Kind":"file"},"New":{"Kind":"file",<Y>}}"#
        #expect(throws: OverlayError.self) { try Self.read(half, more: merge).inverted() }
        #expect(throws: OverlayError.self) { try Self.read("", more: merge).inverted() }
    }

    @Test func aTargetNeedsItsFile() throws {
        let gone = #"{"Path":"a","Old":{"Kind":"file",<X>}}"#
        let error = #expect(throws: OverlayError.self) { try Self.read(gone, more: Self.values) }
        #expect(error?.message == #"Path: "a" does not exist afterwards, according to its record"#)
        #expect(error?.source?.description == "/Targets/0/Path")
    }

    // MARK: Recipes

    private static func content(_ digest: UInt8, _ size: UInt64, _ pieces: [ContentRecipe.Piece], carried: UInt8)
        -> FileState.Content
    {
        FileState.Content(
            size: size, digest: self.digest(digest), recipe: ContentRecipe(pieces: pieces, carried: self.digest(carried)))
    }

    private static func digest(_ byte: UInt8) -> ContentDigest {
        ContentDigest { room in for index in room.indices { room[index] = byte } }
    }

    private static func overlay(_ old: FileState.Content, _ new: FileState.Content) throws -> Overlay {
        Overlay(
            targets: [],
            files: [
                FileRecord(
                    path: try relativePath("a"), old: FileState(kind: .file, content: old),
                    new: FileState(kind: .file, content: new))
            ])
    }

    /// A copy of a copy is a copy of the original. Bytes that either recipe carries are carried.
    @Test func recipesArePutIntoEachOther() throws {
        let start = FileState.Content(size: 100, digest: Self.digest(1))
        let middle = Self.content(
            2, 110, [.copied(offset: 0, length: 50), .carried(length: 20), .copied(offset: 60, length: 40)], carried: 11)
        let end = Self.content(
            3, 80, [.copied(offset: 40, length: 40), .carried(length: 5), .copied(offset: 5, length: 35)], carried: 12)
        let plainMiddle = FileState.Content(size: 110, digest: Self.digest(2))
        let (first, second) = (try Self.overlay(start, middle), try Self.overlay(plainMiddle, end))
        let composition = try first.composition(with: second)
        typealias Part = ComposedContent.Part
        #expect(
            composition.contents.first?.content.segments == [
                Part(source: .other, range: 40..<50), Part(source: .carried(Self.digest(11), size: 20), range: 0..<20),
                Part(source: .other, range: 60..<70), Part(source: .carried(Self.digest(12), size: 5), range: 0..<5),
                Part(source: .other, range: 5..<40),
            ])
        #expect(
            composition.overlay.files.first?.new?.content?.recipe?.pieces == [
                .copied(offset: 40, length: 10), .carried(length: 20), .copied(offset: 60, length: 10), .carried(length: 5),
                .copied(offset: 5, length: 35),
            ])
        // If the first carries its file whole, so does the result.
        let whole = try Self.overlay(start, plainMiddle).composition(with: second)
        #expect(whole.contents.first?.content.isWhole == true)
        #expect(whole.overlay.files.first?.new?.content?.recipe == nil)
        // If the first does not change the bytes, the second's recipe stays.
        let kept = try Self.overlay(plainMiddle, plainMiddle).composed(with: second)
        #expect(kept.files.first?.new?.content == end)
    }

    /// Two small documents must not become a huge one.
    @Test func recipesDoNotGrowWithoutBounds() throws {
        let count: UInt64 = 3_000
        let scattered = (0..<count).map { ContentRecipe.Piece.copied(offset: (count - 1 - $0) * 2, length: 1) }
        let start = FileState.Content(size: count * 2, digest: Self.digest(1))
        let middle = Self.content(2, count, scattered, carried: 11)
        let repeated = (0..<count).map { _ in ContentRecipe.Piece.copied(offset: 0, length: count) }
        let end = Self.content(3, count * count, repeated, carried: 12)
        let error = #expect(throws: OverlayError.self) {
            try Self.overlay(start, middle).composition(
                with: Self.overlay(FileState.Content(size: count, digest: Self.digest(2)), end))
        }
        #expect(error?.code == .limit)
    }
}
