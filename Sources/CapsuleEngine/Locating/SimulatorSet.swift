public import CapsuleCore

/// A set of simulators that Xcode keeps in a place of its own.
public enum SimulatorSet: String, Sendable, CaseIterable {
    /// Those that Xcode lists.
    case standard = "default"
    /// Those on which SwiftUI previews run.
    case previews
    /// The clones on which tests run beside each other.
    case xctest

    /// Where the set is, below the home directory.
    private var place: String {
        switch self {
        case .standard: "Library/Developer/CoreSimulator/Devices"
        case .previews: "Library/Developer/Xcode/UserData/Previews/Simulator Devices"
        case .xctest: "Library/Developer/XCTestDevices"
        }
    }

    /// What to do where there are no simulators; `sim:` has no flag that names others.
    static let missingHint = """
        simulators need a Mac with Xcode; for a copy of their directory, 'capsule locate --devices DIR' prints paths to use instead
        """

    /// The directory that holds a directory for each simulator.
    ///
    /// - Throws: where HOME is no absolute path.
    public func directory() throws(CapsuleError) -> HostPath {
        guard let home = HostProcess.environment("HOME"), home.first == UInt8(ascii: "/") else {
            throw CapsuleError(
                "HOME is not set to a directory, so the simulators can't be found",
                hint: SimulatorSet.missingHint)
        }
        return HostPath(home).appending(Array(place.utf8))
    }
}
