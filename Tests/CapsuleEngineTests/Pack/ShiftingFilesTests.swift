import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleSystem
import Foundation
import TestSupport
import Testing

@testable import CapsuleEngine

/// A large file that is changed through mapped memory while it is appended: its bytes change, but its times do not.
@Suite struct ShiftingFilesTests {
    private static let size = 3_000_000
    private static let content: [UInt8] = {
        var random = SeededGenerator(seed: 11)
        return random.bytes(size)
    }()

    /// Content in which some bytes differ at each of the first reads.
    private final class Shifting: ContentSource, OpenContent, @unchecked Sendable {
        private let lock = NSLock()
        private var shifts: Int
        private let place: Int

        init(shifts: Int, place: Int) {
            self.shifts = shifts
            self.place = place
        }

        var isLive: Bool { true }

        func open(_ entry: TreeEntry, number: Int) -> any OpenContent { self }

        func status() -> ContentStatus {
            ContentStatus(size: UInt64(size), mode: FileMode(0o644), modified: .epoch, live: nil)
        }

        func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let start = Int(offset)
            let end = min(size, start + buffer.count)
            guard start < end else { return 0 }
            for byte in start..<end { buffer[byte - start] = content[byte] }
            if (start..<end).contains(place) {
                lock.withLock {
                    buffer[place - start] &+= UInt8(truncatingIfNeeded: max(0, shifts))
                    shifts -= 1
                }
            }
            return end - start
        }
    }

    /// The stored content has the digest in the index, whenever the file stops changing, or if it never does.
    @Test(arguments: [0, 1, 2, 3, 4, 5, 7, 1_000], [1_000_000, 2_999_999])
    func whatIsStoredHasItsDigest(shifts: Int, place: Int) throws {
        let directory = try TemporaryDirectory()
        var old = Self.content
        old.replaceSubrange(1_500_000..<1_500_000, with: [1, 2, 3])
        let tree: TreeLiteral = ["log": .file(old)]
        try tree.make(at: directory["t"])
        let capsule = directory["t.capsule"]
        try UseCases.pack(directory["t"], to: capsule)
        let entry = TreeEntry(
            path: try RelativePath(validating: Array("log".utf8)), kind: .file, mode: FileMode(0o644), modified: .epoch,
            size: UInt64(Self.size))
        let top = TreeEntry(path: .root, root: .wrapper, kind: .directory, mode: FileMode(0o755), modified: .epoch)
        var opened = OpenedContainer(
            name: [0x74], layout: .directory, source: SourceDescription(kind: .directory), groups: [], entries: [entry, top],
            isDigested: false, contents: EntryContents(Shifting(shifts: shifts, place: place), count: 2), omitted: [],
            wantedOmissions: 0, evidence: [])
        var options = PackOptions(captured: .epoch)
        options.allowsChanging = true
        options.jobs = 2
        let locked = try LockedFile(HostPath(capsule), timeout: 1)
        let history = CapsuleHistory(
            try CapsuleReader(CapsuleFile(adopting: locked.duplicate(), path: HostPath(capsule))), jobs: 1)
        let output = AppendedMembers(locked, behind: history.newest)
        let writer = CapsuleWriter(output: output, codec: .gzip, following: history.newest)
        let versions = VersionWriter(options: options, facts: .init(captured: .epoch), progress: nil)
        let base = try BaseReading(history.capsule, readsBack: false, jobs: 1)
        _ = try versions.write(&opened, to: writer, after: history, base)
        #expect(try UseCases.verify(capsule).findings == [])
        if shifts == 0 { #expect(try UseCases.list(capsule, ["log"], digesting: true).first?.size == UInt64(Self.size)) }
    }
}
