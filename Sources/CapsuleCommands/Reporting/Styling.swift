import CapsuleEngine

/// When output has color and weight.
enum Styling {
    /// `--color` decides; with `auto` a terminal and NO_COLOR (no-color.org).
    static func isOn(_ choice: ColorChoice, isTerminal: Bool) -> Bool {
        switch choice {
        case .always: true
        case .never: false
        case .auto: isTerminal && (HostProcess.environment("NO_COLOR") ?? []).isEmpty
        }
    }
}
