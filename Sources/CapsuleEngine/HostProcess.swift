import CapsuleArchive
package import CapsuleCore
import CapsuleHashing
import CapsuleSQLite
import CapsuleSystem
import Synchronization

/// The process that runs a command, as the command sees it: its streams and its environment.
package struct HostProcess: Sendable {
    package let output: StandardStream
    package let errors: StandardStream
    /// The environment variables; nil for those of this process.
    private let variables: [String: String]?

    /// The process itself.
    package init() {
        self.init(output: StandardStream(1), errors: StandardStream(2), variables: nil)
    }

    /// A process that keeps what a command writes. It has these environment variables, and no cache.
    package init(variables: [String: String]) {
        self.init(output: StandardStream(nil), errors: StandardStream(nil), variables: variables)
    }

    private init(output: StandardStream, errors: StandardStream, variables: [String: String]?) {
        self.output = output
        self.errors = errors
        self.variables = variables
    }

    package func environment(_ name: String) -> [UInt8]? {
        guard let variables else { return Host.environment(name) }
        return variables[name].map { Array($0.utf8) }
    }

    /// The environment variables that are valid UTF-8.
    package var wholeEnvironment: [String: String] { variables ?? Host.wholeEnvironment }

    /// True for the process itself, which ends with its command. Another one leaves the user's cache alone.
    package var isOwn: Bool { variables == nil }

    /// Writes a text to standard error. Errors are ignored.
    package func writeError(_ text: String) {
        Array(text.utf8).withUnsafeBytes { try? errors.writeRaw($0) }
    }
}

extension HostProcess {
    /// Starts to note signals instead of ending the process at once, and reads process state that must be read before there are
    /// threads. Call it first.
    package static func prepare() {
        Interruption.watch()
        CreationMask.prepare()
    }

    /// Lets signals end the process at once until there is something to clean up. This is for work that writes nothing before it
    /// is done, and does not check for interruptions meanwhile.
    package static func letSignalsEnd() { Interruption.pause() }
    package static var interruption: Int32? { Interruption.noted }

    /// The arguments as raw bytes, without the program's own name; nil if the system does not report them.
    package static var arguments: [[UInt8]]? { ProcessArguments.raw }
    package static var processors: Int { Host.processors }

    /// The libraries that the program uses, with their versions, such as `zlib 1.2.13`.
    package static var libraries: [String] {
        ArchiveLibraries.versions + [SHA256Hasher.library, Connection.library].compactMap(\.self)
    }

    /// The current time, to the second.
    package static var now: Timestamp { Timestamp(seconds: Host.now) }

    /// Ends the process without running exit handlers: everything is written and closed by now, and those of libraries only take
    /// time.
    package static func exit(with status: Int32) -> Never { _exit(status) }
}

/// Standard output or standard error, as a stream of bytes.
package final class StandardStream: Sendable {
    /// The descriptor; nil to keep what is written.
    private let descriptor: Int32?
    private let kept = Mutex<[UInt8]>([])

    fileprivate init(_ descriptor: Int32?) { self.descriptor = descriptor }

    /// The bytes that were written, if the stream keeps them.
    package var bytes: [UInt8] { kept.withLock { $0 } }

    package var isTerminal: Bool { descriptor.map(Terminal.isTerminal) ?? false }

    /// The width of the terminal, in columns; nil if it is none.
    package var width: Int? { descriptor.flatMap(Terminal.width) }

    /// On a terminal, control characters are escaped (see `TerminalText`).
    package func write(_ bytes: UnsafeRawBufferPointer) throws(CapsuleError) {
        guard isTerminal else { return try writeRaw(bytes) }
        try writeRaw(Self.shown(bytes))
    }

    private static func shown(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var text = TerminalText(keepsColors: true)
        return text.sanitize(bytes) + text.finish()
    }

    private func writeRaw(_ bytes: [UInt8]) throws(CapsuleError) {
        try bytes.withRawBytes(writeRaw)
    }

    fileprivate func writeRaw(_ bytes: UnsafeRawBufferPointer) throws(CapsuleError) {
        guard let descriptor else { return kept.withLock { $0 += bytes } }
        try Syscall.write(descriptor, bytes, path: HostPath(descriptor == 1 ? "standard output" : "standard error"))
    }

    package func write(_ bytes: [UInt8]) throws(CapsuleError) {
        try bytes.withRawBytes(write)
    }

    /// Writes a report for people. It goes through the user's pager if it is longer than the terminal.
    package func page(_ bytes: [UInt8]) throws(CapsuleError) {
        guard isTerminal, Terminal.isTerminal(0) else { return try write(bytes) }
        let text = bytes.withUnsafeBytes { Self.shown($0) }
        let isShown = text.withUnsafeBytes { Pager.show($0) }
        if !isShown { try writeRaw(text) }
    }

    /// Writes a result. Unlike a report or a listing, a result is needed completely.
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

    func copy(_ spool: SpoolFile, length: UInt64) throws(CapsuleError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while offset < length {
            try CapsuleError.checkInterruption()
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(min(UInt64(buffer.count), length - offset))))
            let count = try spool.read(at: offset, into: room)
            if count == 0 { break }
            try Self.needed { () throws(CapsuleError) in try write(UnsafeRawBufferPointer(rebasing: room[..<count])) }
            offset += UInt64(count)
        }
    }
}

/// Makes text harmless for a terminal, piece by piece. Line ends and tabs stay. Everything else that would control the terminal
/// is escaped as `\x1B`, and so are bytes that are not UTF-8. ``StandardStream`` sends everything that goes to a terminal through
/// this type, so reports need not escape anything. The content of a container comes from others: it must not move the cursor,
/// rename the window, or change the direction of a line.
struct TerminalText {
    /// True if color sequences (ECMA-48, SGR) are kept, as in reports. Those in the content of a file are not.
    let keepsColors: Bool
    /// Bytes at the end of the last piece that may be continued by the next one.
    private var rest: [UInt8] = []

    init(keepsColors: Bool) {
        self.keepsColors = keepsColors
    }

    /// Returns the text of a piece, without a sequence at its end that the next piece may continue.
    mutating func sanitize(_ piece: UnsafeRawBufferPointer) -> [UInt8] {
        if rest.isEmpty, piece.allSatisfy(Self.isPlain) { return Array(piece) }
        let bytes = rest + piece
        rest = []
        return shown(bytes[...], isEnd: false)
    }

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

    /// Returns the number of leading bytes to keep as they are: CR LF, a color sequence, or one character.
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

    /// Returns true if the bytes are an incomplete character, or a CR that may be followed by LF.
    private static func mayGoOn(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, bytes.count < 4 else { return false }
        if bytes.count == 1, first == 0x0D { return true }
        let width = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1
        return bytes.count < width && bytes.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 }
    }
}
