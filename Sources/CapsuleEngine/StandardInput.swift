import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// Standard input as a file.
enum StandardInput {
    /// Takes in all of it, into a private file.
    static func spool() throws(CapsuleError) -> CapsuleFile {
        try spool(0, as: HostPath("standard input"))
    }

    /// Takes in all that a pipe has to give, as of a shell's process substitution.
    static func spool(pipe path: HostPath) throws(CapsuleError) -> CapsuleFile {
        let descriptor = try CapsuleError.wrapping { () throws(FileSystemError) in try Syscall.openPipe(path) }
        return try spool(descriptor.raw, as: path)
    }

    private static func spool(_ descriptor: Int32, as path: HostPath) throws(CapsuleError) -> CapsuleFile {
        try CapsuleError.wrapping { () throws(FileSystemError) in
            let spool = try SpoolFile()
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
            defer { buffer.deallocate() }
            var offset: UInt64 = 0
            while true {
                try Interruption.check()
                let count = try Syscall.readSome(descriptor, into: buffer, path: path)
                if count == 0 { break }
                try spool.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
                offset += UInt64(count)
            }
            return try CapsuleFile(adopting: try spool.duplicate(), path: path)
        }
    }
}
