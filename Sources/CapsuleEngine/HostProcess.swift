import CapsuleArchive
public import CapsuleCore
import CapsuleFileSystem

/// The process around a command: its signals, environment and terminal.
public enum HostProcess {
    /// Notes signals instead of ending at once, and reads what must be read before there are threads. Call it first.
    public static func prepare() {
        Interruption.watch()
        CreationMask.prepare()
    }

    /// Lets signals end the process at once until there is something to be cleaned up: for work that writes nothing before it
    /// is done, and does not ask meanwhile.
    public static func letSignalsEnd() { Interruption.pause() }

    /// The signal by which the user asked to stop, or nil.
    public static var interruption: Int32? { Interruption.noted }

    /// A variable of the environment, as raw bytes.
    public static func environment(_ name: String) -> [UInt8]? { Terminal.environment(name) }

    /// All variables of the environment that are UTF-8.
    public static var wholeEnvironment: [String: String] { Terminal.wholeEnvironment }

    /// Whether standard error is a terminal.
    public static var isErrorTerminal: Bool { Terminal.isTerminal(2) }

    /// The width of the terminal that standard output is, in columns; nil where it is none.
    public static var outputWidth: Int? { Terminal.width(of: 1) }

    /// The width of the terminal that standard error is, in columns; nil where it is none.
    public static var errorWidth: Int? { Terminal.width(of: 2) }

    /// How many processors there are.
    public static var processors: Int { Terminal.processors }

    /// The moment, to the second.
    public static var now: Timestamp { Timestamp(seconds: Terminal.now) }

    /// Writes to standard error; what can't be written is lost.
    public static func writeError(_ text: String) {
        Array(text.utf8).withUnsafeBytes { bytes in
            try? Syscall.write(2, bytes, path: HostPath("standard error"))
        }
    }
}

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

/// Makes a text harmless for a terminal, piece by piece: lines and tabs stay, and whatever else would do something there comes out
/// as `\x1B`, and so do bytes that are no UTF-8.
///
/// ``StandardOutput`` sends all that goes to a terminal through this, so no report needs to think of it. What a container holds is
/// data of others: it must not move the cursor, rename the window, or turn the direction of a line.
struct TerminalText {
    /// Whether colors stay (ECMA-48, SGR), as reports have them. A file's own don't.
    let keepsColors: Bool
    /// The beginning of what the next piece may go on with.
    private var rest: [UInt8] = []

    init(keepsColors: Bool) {
        self.keepsColors = keepsColors
    }

    /// The text of a piece, but for what may go on in the next one.
    mutating func take(_ piece: UnsafeRawBufferPointer) -> [UInt8] {
        if rest.isEmpty, piece.allSatisfy(Self.isPlain) { return Array(piece) }
        let bytes = rest + piece
        rest = []
        return shown(bytes[...], isEnd: false)
    }

    /// The text of what is left.
    mutating func finish() -> [UInt8] {
        let bytes = rest
        rest = []
        return shown(bytes[...], isEnd: true)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
    }

    private mutating func shown(_ bytes: ArraySlice<UInt8>, isEnd: Bool) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var bytes = bytes
        while let byte = bytes.first {
            if Self.isPlain(byte) {
                text.append(byte)
                bytes.removeFirst()
                continue
            }
            if !isEnd, Self.mayGoOn(bytes) {
                rest = Array(bytes)
                break
            }
            let count = keptCount(bytes)
            if count > 0 {
                text += bytes.prefix(count)
                bytes = bytes.dropFirst(count)
            } else {
                let width = TerminalCharacters.scalar(at: bytes).map { UTF8.width($0) } ?? 1
                for byte in bytes.prefix(width) { text += TerminalCharacters.escaped(byte).utf8 }
                bytes = bytes.dropFirst(width)
            }
        }
        return text
    }

    /// How many of the first bytes go out as they are: a line's end of two, a color, a character.
    private func keptCount(_ bytes: ArraySlice<UInt8>) -> Int {
        if bytes.starts(with: [0x0D, 0x0A]) { return 2 }
        if keepsColors, bytes.starts(with: [0x1B, UInt8(ascii: "[")]) {
            let numbers = bytes.dropFirst(2).prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }
            let count = 2 + numbers.count
            return bytes.dropFirst(count).first == UInt8(ascii: "m") ? count + 1 : 0
        }
        guard let scalar = TerminalCharacters.scalar(at: bytes), TerminalCharacters.isPlain(scalar) else { return 0 }
        return UTF8.width(scalar)
    }

    /// Whether the bytes are the beginning of a character, or of a line's end, and no more than that.
    private static func mayGoOn(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, bytes.count < 4 else { return false }
        if bytes.count == 1, first == 0x0D { return true }
        let width = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1
        return bytes.count < width && bytes.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 }
    }
}
