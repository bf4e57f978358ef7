import CapsuleArchive
public import CapsuleCore
import CapsuleFileSystem
import CapsuleHashing
import CapsulePropertyList

/// A file as text that git compares: of a property list a line for each value.
public enum GitTextconv {
    /// What a file is shown as.
    public enum Text: Sendable {
        /// Lines.
        case lines([UInt8])
        /// The entries of a capsule's latest version, as `ls -l` lists them.
        case capsule(ContainerListing)
        /// Its own bytes: it is no property list, or none that can be told so.
        case file(HostPath)
    }

    /// - Throws: only for what can't be read at all, or is no file.
    public static func text(of argument: HostPath, jobs: Int) throws(CapsuleError) -> Text {
        // Git means a file, whatever it is called.
        let path = argument == .standardStream ? HostPath("./-") : argument
        let file: EditedFile
        do throws(FileSystemError) {
            if let listing = try listing(of: path, jobs: jobs) { return .capsule(listing) }
            file = try EditedFile(path, limit: PlistFile.longest)
        } catch {
            guard error.code == .tooLarge else { throw CapsuleError(error) }
            // Too large.
            return .file(path)
        }
        return (lines(of: file.bytes) ?? markedLines(of: file.bytes)).map { .lines($0) } ?? .file(path)
    }

    private static func lines(of bytes: [UInt8]) -> [UInt8]? {
        guard let document = try? PlistDocument.read(bytes, isLenient: true) else { return nil }
        return try? PointerLines.text(of: document) { SHA256Hasher.digest(of: $0).hex }
    }

    /// Of a file in conflict, what both sides make of it, with marks around what differs: git compares it with the sides.
    private static func markedLines(of bytes: [UInt8]) -> [UInt8]? {
        guard let readings = MarkedReadings(bytes), let ours = lines(of: readings.ours), let theirs = lines(of: readings.theirs)
        else { return nil }
        return try? readings.marking(ours: ours, theirs: theirs)
    }

    /// The latest version of a capsule; nil for any other file, and for a capsule that can't be read.
    private static func listing(of path: HostPath, jobs: Int) throws(FileSystemError) -> ContainerListing? {
        let file = try CapsuleFile(opening: path)
        guard (try? CapsuleReader(file)) != nil else { return nil }
        return try? ContainerListing(Container(path.bytes), digesting: true, jobs: jobs)
    }

    /// Writes the bytes of a file to standard output.
    public static func copy(_ path: HostPath) throws(CapsuleError) {
        let output = StandardOutput()
        let descriptor = try CapsuleError.wrapping { () throws(FileSystemError) in try Syscall.openFile(path) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while true {
            let count = try CapsuleError.wrapping { () throws(FileSystemError) in
                try Syscall.read(descriptor.raw, at: offset, into: buffer, path: path)
            }
            if count == 0 { return }
            try output.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += UInt64(count)
        }
    }
}
