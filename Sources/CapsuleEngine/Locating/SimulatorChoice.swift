import CapsuleCore

/// Which simulators are meant: as `--device` and `sim:` name them.
public enum SimulatorChoice: Hashable, Sendable {
    /// Whichever are booted.
    case booted
    /// One by its UDID, or those of a name.
    case named(String)

    /// Reads `booted`, a UDID or a name.
    public init(_ text: String) {
        self = text == "booted" ? .booted : .named(text)
    }

    /// The simulators that are meant: by UDID, else by the name as it is, else by the name whatever its case.
    func pick(from simulators: [Simulator]) -> [Simulator] {
        guard case .named(let text) = self else { return simulators.filter { $0.state == .booted } }
        let folded = text.lowercased()
        for isMeant in [
            { $0.udid.lowercased() == folded }, { $0.name == text }, { $0.name.lowercased() == folded },
        ] as [(Simulator) -> Bool] {
            let found = simulators.filter(isMeant)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Whether a simulator of which only the UDID is known may be meant.
    func mayMean(udid: String) -> Bool {
        guard case .named(let text) = self, ContainerNaming.isUUID(Array(text.utf8)) else { return true }
        return text.lowercased() == udid.lowercased()
    }

    /// What to say where none is meant.
    func missing(among simulators: [Simulator], in devices: HostPath) -> CapsuleError {
        switch self {
        case .booted:
            CapsuleError(
                .notFound, "no simulator is booted", path: devices, hint: "choose one by name or UDID with '--device'")
        case .named(let text):
            CapsuleError(
                .notFound, "no simulator is named '\(text)'", path: devices,
                hint: "'capsule locate' lists simulators that have apps",
                misspelt: (text, Array(Set(simulators.map(\.name))).sorted()))
        }
    }
}
