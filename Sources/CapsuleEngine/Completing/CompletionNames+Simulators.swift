public import CapsuleCore

extension CompletionNames {
    /// How an app on a simulator may be named that begins with what was typed, `sim:` included: by its bundle identifier, behind a
    /// simulator's name or UDID, or behind `booted`.
    public static func applications(beginningWith typed: [UInt8]) -> [String] {
        let prefix = "sim:"
        guard typed.starts(with: prefix.utf8), let text = String(validating: typed, as: UTF8.self),
            let devices = try? SimulatorSet.standard.directory()
        else { return [] }
        let device = text.lastIndex(of: "/").map { String(text[..<$0].dropFirst(prefix.count)) }
        let start = device.map { "\(prefix)\($0)/" } ?? prefix
        let containers = list(.data, devices, on: device.map { SimulatorChoice($0) })
        let names = Set(containers.map { start + $0.identifier })
        let simulators = device == nil ? Self.simulators(of: containers).map { "\(prefix)\($0)/" } : []
        return names.sorted() + simulators
    }

    /// The identifiers of the containers of a kind; without one those of apps.
    public static func identifiers(
        _ kind: LocatedContainer.Kind?, in devices: HostPath, on choice: SimulatorChoice? = nil
    ) -> [String] {
        Set(list(kind, devices, on: choice).map(\.identifier)).sorted()
    }

    /// What simulators that have apps are called: `booted`, names and UDIDs.
    public static func simulators(in devices: HostPath) -> [String] {
        simulators(of: list(nil, devices, on: nil))
    }

    private static func simulators(of containers: [LocatedContainer]) -> [String] {
        let simulators = Set(containers.map(\.simulator))
        let booted = simulators.contains { $0.state == .booted } ? ["booted"] : []
        return booted + Set(simulators.map(\.name)).sorted() + simulators.map(\.udid).sorted()
    }

    private static func list(
        _ kind: LocatedContainer.Kind?, _ devices: HostPath, on choice: SimulatorChoice?
    ) -> [LocatedContainer] {
        (try? SimulatorLocator(devices: devices).list(kind, on: choice).containers) ?? []
    }
}
