import CapsuleCore
import CapsuleEngine

extension TextReporter {
    func git(_ states: [GitIntegration.State], isChange: Bool) -> [UInt8] {
        states.flatMap { state in
            let remark = isChange && !state.isChanged ? "nothing to change: " : ""
            var report = text("\(state.scope.rawValue): \(remark)\(word(for: state))\n")
            if state.extent != .absent {
                report += text("  attributes: ") + name(state.attributes.bytes) + text("\n")
                if let driver = state.driver { report += text("  driver: \(QuotedBytes(driver).text)\n") }
            }
            return report
        }
    }

    private func word(for state: GitIntegration.State) -> String {
        switch state.extent {
        case .absent: "not installed"
        case .incomplete: styled("partly installed", 33)
        case .outdated:
            styled("outdated", 33)
                + ": 'capsule git install\(state.scope == .global ? " --global" : "")' updates it"
        case .installed: styled("installed", 32)
        }
    }
}
