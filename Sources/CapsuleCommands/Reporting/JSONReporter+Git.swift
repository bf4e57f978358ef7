import CapsuleCore
import CapsuleEngine

extension JSONReporter {
    func git(_ states: [GitIntegration.State], isChange: Bool) -> [UInt8] {
        var report = object("git")
        if isChange { report.add("changed", states.contains(where: \.isChanged)) }
        report.add(
            "scopes",
            list: states.map { state in
                var item = JSONText()
                item.add("scope", state.scope.rawValue)
                item.add("state", state.extent.rawValue)
                item.add("attributes", name: state.attributes.bytes)
                if let driver = state.driver { item.add("driver", name: driver) }
                return item
            })
        return report.closed + [Self.newline]
    }
}
