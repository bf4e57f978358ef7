import CapsuleCore
import CapsuleFileSystem
import CapsuleHashing

/// Writes files and compares them with their digests. One for each thread.
final class UnpackWorker {
    private let plan: UnpackPlan
    private let entries: [TreeEntry]
    private let reader: any ContentReader
    private let stretches: StretchReader
    private let writer: TreeWriter
    private var hasher = SHA256Hasher()

    init(plan: UnpackPlan, content: any PiecewiseContent, root: RootDirectory) {
        self.plan = plan
        entries = plan.container.entries
        reader = content.makeReader()
        stretches = StretchReader(reader)
        writer = TreeWriter(root)
    }

    func perform(_ job: ReadJob<LargeOutput>) throws(CapsuleError) -> UnpackedFiles {
        var result = UnpackedFiles()
        switch job {
        case .files(let positions):
            try CapsuleError.checkInterruption()
            for position in positions where entries[plan.items[position].number].kind.hasContent {
                try write(plan.items[position], &result)
            }
        case .stretch(let output, let number, let range, let isLast):
            let digest = try stretches.read(output.item.number, range, turn: number, isLast: isLast, of: output.digest) {
                (offset, bytes) throws(CapsuleError) in
                try CapsuleError.wrapping { () throws(FileSystemError) in try output.file.write(bytes, at: offset) }
            }
            if let digest {
                try check(digest, entries[output.item.number])
                result.completed = output
            }
            result.bytes += range.upperBound - range.lowerBound
        }
        return result
    }

    private func write(_ item: UnpackPlan.Item, _ result: inout UnpackedFiles) throws(CapsuleError) {
        let entry = entries[item.number]
        let mode = entry.mode.restorable(for: .file)
        // Attributes can't be set on a file that may not be written.
        let isModeSet = entry.attributes.isEmpty && CreationMask.keeps(mode.rawValue)
        let file = try CapsuleError.wrapping { () throws(FileSystemError) in
            try writer.makeFile(item.path, mode: isModeSet ? mode : FileMode(0o600))
        }
        var written: UInt64 = 0
        try reader.forEachPiece(of: item.number, in: 0..<entry.size) { (offset, length, bytes) throws(CapsuleError) in
            guard let bytes else {
                try hasher.updateZeros(length)
                return
            }
            hasher.update(bytes)
            try CapsuleError.wrapping { () throws(FileSystemError) in try file.write(bytes, at: offset) }
            written = offset + length
        }
        try check(hasher.finish(), entry)
        let refused = try CapsuleError.wrapping { () throws(FileSystemError) in
            if written < entry.size { try file.setLength(entry.size) }
            return try file.finish(mode: isModeSet ? nil : mode, modified: entry.modified, attributes: entry.attributes)
        }
        result.refusedAttributes += refused.map { (item.path, $0.name) }
        result.files += 1
        result.bytes += entry.size
    }

    private func check(_ digest: ContentDigest, _ entry: TreeEntry) throws(CapsuleError) {
        guard plan.container.isDigested, digest != entry.digest else { return }
        throw .wrongDigest(of: entry)
    }
}
