import CapsuleCore
import CapsuleEngine

extension JSONReporter {
    func located(_ containers: [LocatedContainer], in devices: HostPath, isOfOne: Bool) -> [UInt8] {
        var header = JSONText()
        header.add("kind", "header")
        header.add("schema", "capsule.locate")
        header.add("version", UInt64(1))
        header.add("devices", name: devices.bytes)
        var report = header.closed + [Self.newline]
        for container in containers {
            var line = JSONText()
            line.add("kind", container.kind.rawValue)
            line.add("identifier", container.identifier)
            line.add("name", container.name)
            line.add("uuid", container.uuid)
            line.add("path", name: container.path.bytes)
            var simulator = JSONText()
            simulator.add("udid", container.simulator.udid)
            simulator.add("name", container.simulator.name)
            simulator.add("runtime", container.simulator.runtime)
            simulator.add("state", container.simulator.state.word)
            line.add("simulator", simulator)
            report += line.closed + [Self.newline]
        }
        return report
    }
}
