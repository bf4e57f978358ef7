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

    /// The directory that holds a directory for each simulator.
    ///
    /// - Throws: where HOME is no absolute path.
    public func directory() throws(CapsuleError) -> HostPath {
        guard let home = HostProcess.environment("HOME"), home.first == UInt8(ascii: "/") else {
            throw CapsuleError(
                "HOME is not set to a directory, so the simulators can't be found",
                hint: "name the simulators' directory with 'capsule locate --devices DIR'")
        }
        return HostPath(home).appending(Array(place.utf8))
    }
}
