import CapsuleCore
import CapsuleFileSystem

/// A copy of a file that is there, for one that has other names, too: they keep what they have.
struct PresentCopy {
    private let change: ApplyPlan.Change
    private let root: RootDirectory

    private static let pieceLength = 1 << 18

    init(of change: ApplyPlan.Change, in roots: [RootDirectory]) {
        self.change = change
        root = roots[change.place.root]
    }

    /// - Returns: the names of attributes that could not be set.
    func write(as path: RelativePath, with writer: TreeWriter) throws(CapsuleError) -> [[UInt8]] {
        let place = root.hostPath(of: change.place.path)
        guard let present = change.present, let wanted = change.wanted else { return [] }
        let size = present.status.size
        let names = try CapsuleError.wrapping { () throws(FileSystemError) -> [[UInt8]]? in
            let source = try root.openFile(change.place.path)
            guard try Syscall.status(of: source.raw, path: place).isSameState(as: present.status) else { return nil }
            let file = try writer.makeFile(path, mode: FileMode(0o600))
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 64)
            defer { buffer.deallocate() }
            var at: UInt64 = 0
            while at < size {
                try Interruption.check()
                at = max(at, Syscall.nextData(source.raw, from: at) ?? at)
                if at >= size { break }
                let count = try Syscall.read(source.raw, at: at, into: buffer, path: place)
                if count == 0 { break }
                try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: at)
                at += UInt64(count)
            }
            try file.setLength(size)
            guard try Syscall.status(of: source.raw, path: place).isSameState(as: present.status) else { return nil }
            return try file.finish(
                mode: wanted.entry.mode.restorable(for: .file), modified: wanted.entry.modified,
                attributes: wanted.entry.attributes
            ).map(\.name)
        }
        guard let names else { throw CapsuleError.changedMeanwhile(place) }
        return names
    }
}
