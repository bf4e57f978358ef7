public import CapsuleCore
import CapsuleSystem

/// What to do on a simulator before an app's container changes under it.
///
/// `cfprefsd` keeps preferences in memory and writes its own copy when it ends, so both the app and the daemon have to go
/// before the files are changed; launchd starts the daemon again when somebody asks for it.
public struct SimulatorAdvice: Hashable, Sendable {
    /// The simulator's UDID.
    public let udid: String
    /// The app's bundle identifier; nil where it is not known, or is none that a command should have.
    public let bundleIdentifier: String?

    /// - Parameters:
    ///   - path: a directory; nil comes of one that is no data container of a simulator, links resolved.
    ///   - bundleIdentifier: the app's, where it is known.
    public init?(path: HostPath, bundleIdentifier: String?) {
        let real = (try? RealPath.resolve(path)) ?? path
        let parts = real.bytes.split(separator: UInt8(ascii: "/"))
        let below = LocatedContainer.Kind.data.place.split(separator: UInt8(ascii: "/"))
        guard parts.count >= below.count + 2, let uuid = parts.last, ContainerNaming.isUUID(Array(uuid)),
            zip(parts.dropLast().suffix(below.count), below).allSatisfy({ $0.elementsEqual($1) })
        else { return nil }
        let device = Array(parts[parts.count - below.count - 2])
        guard ContainerNaming.isUUID(device) else { return nil }
        udid = String(decoding: device, as: UTF8.self)
        self.bundleIdentifier = bundleIdentifier.flatMap { Self.isPlain($0) ? $0 : nil }
    }

    /// Whether an identifier is what identifiers are made of. It comes from the container, whoever wrote that, and is read to
    /// people who type it at a shell.
    private static func isPlain(_ identifier: String) -> Bool {
        !identifier.isEmpty && !identifier.hasPrefix("-")
            && identifier.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// The arguments of `xcrun` that end the app and the daemon, in their order.
    public var commands: [[String]] {
        let terminate = bundleIdentifier.map { [["simctl", "terminate", udid, $0]] } ?? []
        return terminate + [["simctl", "spawn", udid, "launchctl", "stop", "com.apple.cfprefsd.xpc.daemon"]]
    }

    /// The same, as typed at a shell.
    public var lines: [String] {
        commands.map { (["xcrun"] + $0).joined(separator: " ") }
    }

    /// Runs the commands. One that fails says so on standard error, and the others are run: an app that is not running can't
    /// be ended.
    ///
    /// - Throws: where there is no `xcrun`.
    public func run() throws(CapsuleError) {
        #if os(macOS)
        try run(by: HostPath("/usr/bin/xcrun"))
        #else
        throw CapsuleError(.usage, "'--simctl' works only on macOS")
        #endif
    }

    /// Runs the commands by a program.
    func run(by program: HostPath) throws(CapsuleError) {
        for command in commands {
            try CapsuleError.wrapping { () throws(FileSystemError) in
                _ = try ChildProcess.run(program, command.map { Array($0.utf8) })
            }
        }
    }
}
