import CapsuleArguments
import CapsuleContainers
import CapsuleCore

/// A command line about an app on every simulator that has it, which `sim:all/BUNDLE-ID` names: a line for each of them.
struct EachSimulator {
    private static let prefix = Array("sim:all/".utf8)

    /// The lines, by simulator.
    let lines: [[[UInt8]]]

    /// - Returns: nil for a line that names no such app.
    init?(_ arguments: [[UInt8]]) throws(CapsuleError) {
        guard let outline = CommandLineParser().outline(arguments),
            let place = outline.positionals.first(where: { arguments[$0].starts(with: Self.prefix) })
        else { return nil }
        let name = HostPath(arguments[place])
        guard [.restore, .apply, .drop].contains(outline.form.id) else {
            throw CapsuleError(
                .usage, "names several simulators, which only 'restore', 'apply' and 'drop' take", path: name,
                hint: "'sim:DEVICE/BUNDLE-ID' names one, and 'capsule locate BUNDLE-ID --json' lists all that have the app")
        }
        guard !outline.has(.undo) else {
            throw CapsuleError(.usage, "'--undo' writes one file, but there are several simulators", path: name)
        }
        let identifier = String(decoding: arguments[place].dropFirst(Self.prefix.count), as: UTF8.self)
        let found = try SimulatorLocator(devices: SimulatorSet.standard.directory()).locate(identifier, isOnEach: true)
        lines = found.containers.map { container in
            var line = arguments
            line[place] = Array("sim:\(container.simulator.udid)/\(identifier)".utf8)
            return line
        }
    }
}
