import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// Standard input as a file.
enum StandardInput {
    /// Takes in all of it, into a private file.
    static func spool() throws(CapsuleError) -> CapsuleFile {
        let path = HostPath("standard input")
        return try CapsuleError.wrapping { () throws(FileSystemError) in
            let spool = try SpoolFile()
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
            defer { buffer.deallocate() }
            var offset: UInt64 = 0
            while true {
                try Interruption.check()
                let count = try Syscall.readSome(0, into: buffer, path: path)
                if count == 0 { break }
                try spool.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
                offset += UInt64(count)
            }
            return try CapsuleFile(adopting: try spool.duplicate(), path: path)
        }
    }
}
