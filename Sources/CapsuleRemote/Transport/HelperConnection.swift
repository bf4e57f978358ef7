import CapsuleCore
import CapsuleSystem

/// A running capsule-http. Only one thread at a time may use it.
final class HelperConnection {
    private let process: ConnectedProcess
    private var frames = HelperFrameReader()
    private var lastNumber: UInt32 = 0
    private var authorities: [[UInt8]: UInt32] = [:]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    /// The file of certificate authorities that libcurl uses by itself; nil if it asks the system instead.
    let systemAuthorities: HostPath?

    init() throws(CapsuleError) {
        let program = try Self.find()
        let needs = "it needs libcurl 4: 'apt-get install libcurl4' installs it on Debian and Ubuntu"
        do throws(CapsuleError) {
            process = try ConnectedProcess(program, hiding: "CAPSULE_REGISTRY_")
        } catch {
            // The loader that it names is not found where it is for another C library.
            throw error.hinting(needs)
        }
        var first: HelperFrame?
        let patience = ContinuousClock.now + .seconds(20)
        while first == nil, ContinuousClock.now < patience {
            first = try Self.next(
                process, buffer, &frames, milliseconds: 1_000,
                atEnd: CapsuleError("does not start, so no server can be reached", path: program, hint: needs))
        }
        guard case .version(let version, let text)? = first, version == HelperFrame.version else {
            buffer.deallocate()
            throw CapsuleError(
                "is not the capsule-http of this release", path: process.program,
                hint: "install capsule and capsule-http from the same release")
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        systemAuthorities = lines.count > 1 && !lines[1].isEmpty ? HostPath(String(lines[1])) : nil
    }

    deinit { buffer.deallocate() }

    /// The program beside this one, or in `libexec/capsule` beside its directory; `CAPSULE_HTTP` names another one.
    private static func find() throws(CapsuleError) -> HostPath {
        if let named = Host.environment("CAPSULE_HTTP"), !named.isEmpty { return HostPath(named) }
        let name = Array("capsule-http".utf8)
        if let own = ProgramPath.own {
            let beside = own.directory.appending(name)
            let installed = own.directory.directory.appending(Array("libexec".utf8)).appending(Array("capsule".utf8)).appending(
                name)
            for path in [beside, installed] where (try? Syscall.statusIfThere(path, following: true))?.kind == .file {
                return path
            }
        }
        throw CapsuleError(
            .notFound, "remote containers need the program capsule-http, which is not installed beside capsule",
            hint: "install it from the same release, or name it in the environment variable CAPSULE_HTTP")
    }

    private static func next(
        _ process: ConnectedProcess, _ buffer: UnsafeMutableRawBufferPointer, _ frames: inout HelperFrameReader,
        milliseconds: Int, atEnd: @autoclosure () -> CapsuleError
    ) throws(CapsuleError) -> HelperFrame? {
        while true {
            if let frame = try frames.next() { return frame }
            guard let count = try process.read(into: buffer, milliseconds: milliseconds) else { return nil }
            guard count > 0 else { throw atEnd() }
            frames.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private var ended: CapsuleError { CapsuleError("ended unexpectedly", path: process.program) }

    /// Returns the next frame, or nil if none came in time.
    func next(milliseconds: Int) throws(CapsuleError) -> HelperFrame? {
        try Self.next(
            process, buffer, &frames, milliseconds: milliseconds, atEnd: ended)
    }

    func send(_ frame: [UInt8]) throws(CapsuleError) {
        let outcome: Result<Void, CapsuleError> = frame.withUnsafeBytes { bytes in
            do throws(CapsuleError) {
                return .success(try process.write(bytes))
            } catch {
                return .failure(error.code == .brokenPipe ? ended : error)
            }
        }
        try outcome.get()
    }

    func newNumber() -> UInt32 {
        lastNumber &+= 1
        return lastNumber
    }

    /// Returns the number of a set of certificates, which is sent once.
    func number(ofAuthorities certificates: [UInt8]) throws(CapsuleError) -> UInt32 {
        if let known = authorities[certificates] { return known }
        let number = UInt32(authorities.count + 1)
        try send(HelperFrame.authorities(number, certificates))
        authorities[certificates] = number
        return number
    }
}
