package import CapsuleCore
import CapsuleSystem

/// The commands to run on a simulator before an app's container is changed. `cfprefsd` keeps preferences in memory and writes its
/// own copy when it ends. So both the app and the daemon must end before the files are changed. launchd starts the daemon again
/// when it is needed.
package struct SimulatorAdvice: Hashable, Sendable {
    package let udid: String
    /// The simulator's own directory.
    let device: HostPath
    /// The directory of the simulator's set; nil for the default set.
    private let set: HostPath?
    /// The app's bundle identifier; nil if it is not known, or if it is not safe in a command.
    package let bundleIdentifier: String?
    /// True unless the simulator is known not to be booted, so that no app runs.
    package let isBooted: Bool

    /// Creates the advice for a directory; nil if it is not the data container of a simulator after its links are resolved.
    package init?(path: HostPath, bundleIdentifier: String?) {
        let real = (try? RealPath.resolve(path)) ?? path
        let parts = real.bytes.split(separator: UInt8(ascii: "/"))
        let below = LocatedContainer.Kind.data.place.split(separator: UInt8(ascii: "/"))
        guard parts.count >= below.count + 2, let uuid = parts.last, ContainerNaming.isUUID(Array(uuid)),
            zip(parts.dropLast().suffix(below.count), below).allSatisfy({ $0.elementsEqual($1) })
        else { return nil }
        let device = Array(parts[parts.count - below.count - 2])
        guard ContainerNaming.isUUID(device) else { return nil }
        udid = String(decoding: device, as: UTF8.self)
        let directory = (0...below.count).reduce(real) { path, _ in path.directory }
        self.device = directory
        let devices = directory.directory
        let isOther = [SimulatorSet.xctest, .previews].contains { devices.description.hasSuffix("/" + $0.place) }
        set = isOther ? devices : nil
        isBooted = !Self.isShutDown(directory)
        self.bundleIdentifier = bundleIdentifier.flatMap { Self.isPlain($0) ? $0 : nil }
    }

    /// Returns true if an identifier has only the characters of bundle identifiers. It comes from the container, whoever wrote
    /// that, and is shown to people who type it in a shell.
    static func isPlain(_ identifier: String) -> Bool {
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

    package static let danger = "is on a simulator, where the app and cfprefsd may overwrite the changes"

    /// The arguments of `xcrun` that end the app and the daemon, in order.
    package var commands: [[String]] { commands(set: set?.description) }

    private func simctl(_ set: String?) -> [String] { ["simctl"] + (set.map { ["--set", $0] } ?? []) }

    private func commands(set: String?) -> [[String]] {
        let simctl = simctl(set)
        let terminate = bundleIdentifier.map { [simctl + ["terminate", udid, $0]] } ?? []
        return terminate + [simctl + ["spawn", udid, "launchctl", "stop", "com.apple.cfprefsd.xpc.daemon"]]
    }

    package var lines: [String] { commands(set: set?.shellWord).map { (["xcrun"] + $0).joined(separator: " ") } }

    /// Runs the commands. A command that fails says so on standard error, and the others still run, because an app that is not
    /// running can't be ended.
    package func run() throws(CapsuleError) { try run(by: Self.xcrun()) }

    func run(by program: HostPath) throws(CapsuleError) {
        for command in commands { try run(command, by: program) }
    }

    /// Runs a change while the simulator is shut down, and boots it again, whatever comes of the change.
    package func whileShutDown<Outcome>(
        _ change: () throws(CapsuleError) -> Outcome
    ) throws(CapsuleError) -> Outcome {
        try whileShutDown(by: Self.xcrun(), change)
    }

    func whileShutDown<Outcome>(
        by program: HostPath, _ change: () throws(CapsuleError) -> Outcome
    ) throws(CapsuleError) -> Outcome {
        let simctl = simctl(set?.description)
        try run(simctl + ["shutdown", udid], by: program)
        guard Self.isShutDown(device) else {
            throw CapsuleError("the simulator did not shut down; nothing was changed", path: device)
        }
        // simctl says on standard error why it can't.
        defer { try? run(simctl + ["boot", udid], by: program) }
        return try change()
    }

    private func run(_ command: [String], by program: HostPath) throws(CapsuleError) {
        _ = try ChildProcess.run(program, command.map { Array($0.utf8) })
    }

    private static func xcrun() throws(CapsuleError) -> HostPath {
        #if os(macOS)
        return HostPath("/usr/bin/xcrun")
        #else
        throw CapsuleError(.usage, "'--simctl' works only on macOS")
        #endif
    }

    private static func isShutDown(_ device: HostPath) -> Bool {
        let document = try? RootDirectory(device).readFile(
            named: Array("device.plist".utf8), limit: ContainerMetadata.longestDocument)
        return document.flatMap { Simulator(udid: "", document: $0) }?.state == .shutDown
    }
}
