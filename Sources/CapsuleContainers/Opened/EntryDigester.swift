package import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// Completes unknown digests and attributes of a container's files, several at a time.
package struct EntryDigester {
    let jobs: Int
    /// Receives the progress of reading.
    var progress: (any ProgressObserver)?

    package init(jobs: Int, progress: (any ProgressObserver)? = nil) {
        self.jobs = jobs
        self.progress = progress
    }

    /// The result of reading one file.
    private struct DigestedFile: Sendable {
        let status: ContentStatus
        let digest: ContentDigest
        let attributes: ExtendedAttributes.Reading?
    }

    /// The number of files that one thread reads in a batch, unless they are large.
    private static let batchCount = 64
    private static let batchLength: UInt64 = 4 << 20
    /// The largest number of times that a changing file is read.
    private static let tries = 3

    /// Completes unknown digests and attributes.
    ///
    /// - Parameter places: the positions of the entries to complete; nil for all.
    /// - Returns: the errors of files that could not be read, by position. These files keep the digest zero.
    package func complete(
        _ opened: inout OpenedContainer, at places: [Int]? = nil
    ) throws(CapsuleError) -> [Int: CapsuleError] {
        let entries = opened.entries
        let content = opened.content
        let batches = Self.batches(of: entries, at: places ?? Array(entries.indices))
        let meter = progress.map { ReadingProgress($0, of: batches.joined().map { entries[$0].size }) }
        let found = try ParallelMap.run(batches.count, threads: jobs, itemsPerThread: 1) {
            (number) throws(CapsuleError) -> [(Int, Result<DigestedFile, CapsuleError>)] in
            try CapsuleError.checkInterruption()
            let opener = content.makeOpener()
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
            defer { buffer.deallocate() }
            var results: [(Int, Result<DigestedFile, CapsuleError>)] = []
            for place in batches[number] {
                let result = Result { () throws(CapsuleError) in
                    try Self.read(entries[place], place, opener, buffer, isLive: content.isLive)
                }
                if case .failure(let error) = result, error.code == .interrupted { throw error }
                results.append((place, result))
            }
            meter?.read(batches[number].map { entries[$0].size })
            return results
        }
        var failures: [Int: CapsuleError] = [:]
        for (place, result) in found.joined() {
            switch result {
            case .success(let found): Self.store(found, at: place, in: &opened)
            case .failure(let error): failures[place] = error
            }
        }
        return failures
    }

    /// Completes unknown digests and attributes of files that must all be readable.
    ///
    /// - Throws: for the first file, in the order of the entries, that can't be read.
    package func completeAll(_ opened: inout OpenedContainer, at places: [Int]) throws(CapsuleError) {
        if places.isEmpty { return }
        let failures = try complete(&opened, at: places)
        if let failure = failures.min(by: { $0.key < $1.key })?.value { throw failure }
    }

    /// Returns the positions of the files to read, in batches that give every thread enough to do.
    private static func batches(of entries: [TreeEntry], at places: [Int]) -> [[Int]] {
        var batches: [[Int]] = []
        var batch: [Int] = []
        var length: UInt64 = 0
        for place in places {
            let entry = entries[place]
            guard entry.kind == .file, entry.digest == .zero, entry.isCompared else { continue }
            // Large files come first, and alone. The other files are read at the same time.
            if entry.size >= batchLength {
                batches.insert([place], at: 0)
                continue
            }
            batch.append(place)
            length &+= entry.size
            if batch.count == batchCount || length >= batchLength {
                batches.append(batch)
                (batch, length) = ([], 0)
            }
        }
        if !batch.isEmpty { batches.append(batch) }
        return batches
    }

    private static func read(
        _ entry: TreeEntry, _ place: Int, _ opener: any ContentOpener, _ buffer: UnsafeMutableRawBufferPointer, isLive: Bool
    ) throws(CapsuleError) -> DigestedFile {
        var attempt = 0
        while true {
            attempt += 1
            let file = try opener.open(entry, number: place)
            let status = try file.status()
            let attributes = try file.attributes()
            let digest = try digest(of: file, size: status.size, buffer)
            let isSame = isLive ? try status.isSameState(as: file.status()) : true
            if isSame || attempt == tries {
                return DigestedFile(status: status, digest: digest, attributes: attributes)
            }
        }
    }

    private static func digest(
        of file: any OpenContent, size: UInt64, _ buffer: UnsafeMutableRawBufferPointer
    ) throws(CapsuleError) -> ContentDigest {
        var hasher = SHA256Hasher()
        var offset: UInt64 = 0
        while offset < size {
            if offset > 0 { try CapsuleError.checkInterruption() }
            let data = min(size, file.nextData(from: offset))
            if data > offset {
                try hasher.updateZeros(data - offset)
                offset = data
                continue
            }
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(UInt64(buffer.count), size - offset))])
            let count = try file.read(at: offset, into: room)
            if count == 0 { break }
            hasher.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
            offset += UInt64(count)
        }
        return hasher.finish()
    }

    private static func store(_ found: DigestedFile, at place: Int, in opened: inout OpenedContainer) {
        opened.entries[place].digest = found.digest
        opened.entries[place].size = found.status.size
        if let live = found.status.live {
            opened.entries[place].mode = live.mode
            opened.entries[place].modified = live.modified
        }
        if let attributes = found.attributes { opened.entries[place].attributes = attributes.attributes }
        opened.statCache?.record(found.status, found.digest, found.attributes, at: opened.entries[place].path)
    }
}
