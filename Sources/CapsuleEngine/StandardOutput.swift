import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// Standard output, for bytes.
public final class StandardOutput: Sendable {
    private static let path = HostPath("standard output")

    /// Opens nothing: the stream is there.
    public init() {}

    /// Whether it is a terminal.
    public var isTerminal: Bool { Terminal.isTerminal(1) }

    /// Writes all of `bytes`; to a terminal as a text that does nothing there (see `TerminalText`).
    ///
    /// - Throws: ``CapsuleError`` with the code `brokenPipe` once nobody reads.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(CapsuleError) {
        guard isTerminal else { return try writeRaw(bytes) }
        try writeRaw(Self.shown(bytes))
    }

    /// A report as a terminal may have it.
    private static func shown(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var text = TerminalText(keepsColors: true)
        return text.take(bytes) + text.finish()
    }

    private func writeRaw(_ bytes: [UInt8]) throws(CapsuleError) {
        let outcome: Result<Void, CapsuleError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(CapsuleError) in try writeRaw(bytes) }
        }
        try outcome.get()
    }

    private func writeRaw(_ bytes: UnsafeRawBufferPointer) throws(CapsuleError) {
        do throws(FileSystemError) {
            try Syscall.write(1, bytes, path: Self.path)
        } catch {
            throw CapsuleError(error)
        }
    }

    /// Writes all bytes; a pipe that nobody reads is the error `brokenPipe`.
    public func write(_ bytes: [UInt8]) throws(CapsuleError) {
        let outcome: Result<Void, CapsuleError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(CapsuleError) in try write(bytes) }
        }
        try outcome.get()
    }

    /// Writes a report for people, through the user's pager where it is longer than the terminal that it goes to.
    public func page(_ bytes: [UInt8]) throws(CapsuleError) {
        guard isTerminal, Terminal.isTerminal(0) else { return try write(bytes) }
        let text = bytes.withUnsafeBytes { Self.shown($0) }
        let isShown = text.withUnsafeBytes { Pager.show($0) }
        if !isShown { try writeRaw(text) }
    }

    /// Writes a result, which is needed whole, unlike a report or a listing.
    ///
    /// - Throws: once nobody reads, too, as for any output that can't be written.
    func writeResult(_ bytes: [UInt8]) throws(CapsuleError) {
        try Self.needed { () throws(CapsuleError) in try write(bytes) }
    }

    private static func needed(_ body: () throws(CapsuleError) -> Void) throws(CapsuleError) {
        do throws(CapsuleError) {
            try body()
        } catch {
            guard error.code == .brokenPipe else { throw error }
            throw CapsuleError(error.message, path: error.path, hint: "the reader exited before all output was written")
        }
    }

    /// Writes a result that is in a private file.
    func copy(_ spool: SpoolFile, length: UInt64) throws(CapsuleError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while offset < length {
            try CapsuleError.checkInterruption()
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(min(UInt64(buffer.count), length - offset))))
            let count: Int
            do throws(FileSystemError) { count = try spool.read(at: offset, into: room) } catch { throw CapsuleError(error) }
            if count == 0 { break }
            try Self.needed { () throws(CapsuleError) in try write(UnsafeRawBufferPointer(rebasing: room[..<count])) }
            offset += UInt64(count)
        }
    }
}
