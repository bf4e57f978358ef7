import CapsuleCore

/// An app's data container as `sim:[DEVICE/]BUNDLE-ID` names it; DEVICE is a UDID, a name, or `booted`.
struct SimulatorName {
    private static let prefix = Array("sim:".utf8)

    /// As it was given.
    private let argument: [UInt8]

    /// Whether a word on the command line is meant so, whatever it is behind the colon.
    init?(_ argument: [UInt8]) {
        guard argument.starts(with: Self.prefix) else { return nil }
        self.argument = argument
    }

    /// The container's directory.
    ///
    /// - Throws: where there is none, or where there are several, with a list of them.
    func resolve(warn: (CapsuleError) -> Void) throws(CapsuleError) -> HostPath {
        guard let text = String(validating: argument.dropFirst(Self.prefix.count), as: UTF8.self) else { throw malformed }
        // No bundle identifier has a slash, and a simulator's name may.
        let slash = text.lastIndex(of: "/")
        let identifier = slash.map { text[text.index(after: $0)...] } ?? text[...]
        let device = slash.map { text[..<$0] }
        guard !identifier.isEmpty, device?.isEmpty != true else { throw malformed }
        let locator = try SimulatorLocator(devices: SimulatorSet.standard.directory()) {
            "'sim:DEVICE/\($0)' selects one by name or UDID"
        }
        let outcome = try locator.locate(String(identifier), on: device.map { SimulatorChoice(String($0)) })
        for warning in outcome.warnings { warn(warning) }
        guard let found = outcome.containers.first else { throw malformed }
        return found.path
    }

    private var malformed: CapsuleError {
        CapsuleError(
            .usage, "does not name an app on a simulator", path: HostPath(argument),
            hint: "write 'sim:com.example.app', or 'sim:DEVICE/com.example.app' with a UDID, a name or 'booted' as DEVICE")
    }
}
