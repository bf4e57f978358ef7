import CapsuleCore
import CapsuleEngine

extension TextReporter {
    func located(_ containers: [LocatedContainer], in devices: HostPath, isOfOne: Bool) -> [UInt8] {
        if isOfOne { return containers.flatMap { name($0.path.bytes) + text("\n") } }
        var report: [UInt8] = []
        let names = Self.width(containers.map { Self.shown($0.name ?? "-") })
        let identifiers = Self.width(containers.map { Self.shown($0.identifier) })
        var simulator: Simulator?
        for container in containers {
            if container.simulator != simulator {
                simulator = container.simulator
                report += text(styled(Self.shown(container.simulator.description), 1) + "\n")
            }
            let cells = [
                Self.padded(Self.shown(container.name ?? "-"), names), Self.padded(Self.shown(container.identifier), identifiers),
                Self.padded(container.kind.rawValue, 6),
            ]
            report += text("  " + cells.joined(separator: "  ") + "  ") + name(container.path.bytes) + text("\n")
        }
        return report
    }

    /// What a property list holds may have any character, and this is one line.
    private static func shown(_ text: String) -> String { QuotedBytes(Array(text.utf8)).text }

    private static func width(_ cells: [String]) -> Int { cells.map(\.count).max() ?? 0 }

    private static func padded(_ cell: String, _ width: Int) -> String {
        cell + String(repeating: " ", count: max(0, width - cell.count))
    }
}
