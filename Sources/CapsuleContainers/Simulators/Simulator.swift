package import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

/// A simulator, as its `device.plist` describes it.
package struct Simulator: Hashable, Sendable {
    /// The state of a simulator, as its `device.plist` was last written.
    package enum State: Hashable, Sendable {
        case shutDown, booted
        case other

        package var word: String {
            switch self {
            case .shutDown: "shut down"
            case .booted: "booted"
            case .other: "neither"
            }
        }
    }

    package let udid: String
    /// The name that users see, such as `iPhone 16`. Several simulators may have the same name.
    package let name: String
    /// The identifier of the runtime, such as `com.apple.CoreSimulator.SimRuntime.iOS-18-2`; nil if the `device.plist` has none.
    package let runtime: String?
    package let state: State

    init?(udid: String, document: [UInt8]) {
        guard let list = try? PlistDocument.read(document, accepting: PlistFormat.xmlOrBinary).value.dictionary,
            let name = list["name"]?.string?.string, !name.isEmpty
        else { return nil }
        self.udid = udid
        self.name = name
        runtime = list["runtime"]?.string?.string
        state =
            switch list["state"]?.integer?.int64 {
            case 1?: .shutDown
            case 3?: .booted
            default: .other
            }
    }

    /// The runtime as users write it, such as `iOS 18.2`, or its identifier if that has another form; nil if it is not known.
    package var runtimeName: String? {
        guard let runtime, let last = runtime.split(separator: ".").last else { return nil }
        let parts = last.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count > 1, parts.dropFirst().allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isNumber) }) else { return runtime }
        return "\(parts[0]) \(parts.dropFirst().joined(separator: "."))"
    }

    /// The name, the UDID, the runtime and the state: `iPhone 16 (UDID, iOS 18.2, booted)`.
    package var description: String {
        "\(name) (\(([udid] + [runtimeName, state.word].compactMap { $0 }).joined(separator: ", ")))"
    }
}

/// An app's data container as `sim:[[SET/]DEVICE/]BUNDLE-ID` names it; DEVICE is a UDID, a name, or `booted`, and SET is `xctest` or
/// `previews`.
struct SimulatorName {
    private static let prefix = Array("sim:".utf8)

    private let argument: [UInt8]

    init?(_ argument: [UInt8]) {
        guard argument.starts(with: Self.prefix) else { return nil }
        self.argument = argument
    }

    /// Returns the directory of the app's data, and its groups.
    /// - Parameter takesGroups: false to find no groups.
    func resolve(
        takesGroups: Bool, warn: (CapsuleError) -> Void
    ) throws(CapsuleError) -> (path: HostPath, groups: SimulatorGroups) {
        guard let text = String(validating: argument.dropFirst(Self.prefix.count), as: UTF8.self) else { throw malformed }
        // A bundle identifier has no slash, but the name of a simulator may have one.
        let slash = text.lastIndex(of: "/")
        let identifier = slash.map { text[text.index(after: $0)...] } ?? text[...]
        var device = slash.map { String(text[..<$0]) } ?? Self.ownDevice
        let set = [SimulatorSet.xctest, .previews].first { device?.hasPrefix($0.rawValue + "/") == true }
        if let set { device = device.map { String($0.dropFirst(set.rawValue.utf8.count + 1)) } }
        guard !identifier.isEmpty, device?.isEmpty != true else { throw malformed }
        let choice = device.map { SimulatorChoice($0) }
        let locator = try Self.locator(of: choice, in: set)
        let outcome = try locator.locate(String(identifier), on: choice, prefersBooted: device == nil)
        for warning in outcome.warnings { warn(warning) }
        guard let found = outcome.containers.first else { throw malformed }
        let groups = try takesGroups ? locator.groups(of: found) : SimulatorGroups()
        for warning in groups.warnings { warn(warning) }
        return (found.path, groups)
    }

    /// The simulator that a test runs on; nil if this is not known.
    private static var ownDevice: String? {
        guard let udid = Host.environment("SIMULATOR_UDID"), !udid.isEmpty else { return nil }
        return String(decoding: udid, as: UTF8.self)
    }

    /// Returns the locator for the set that has a simulator: the default set, then the clones for tests, then the previews. It is the
    /// default set if none has it, and always for `booted`, so that no clone is changed unawares.
    private static func locator(of choice: SimulatorChoice?, in set: SimulatorSet?) throws(CapsuleError) -> SimulatorLocator {
        func open(_ set: SimulatorSet) throws(CapsuleError) -> SimulatorLocator {
            try SimulatorLocator(devices: set.directory()) {
                "'sim:DEVICE/\($0)' selects one by name or UDID, 'sim:booted/\($0)' the booted one"
            }
        }
        if let set { return try open(set) }
        if let choice, choice != .booted {
            for set in [SimulatorSet.standard, .xctest, .previews] {
                if let locator = try? open(set), try locator.hasSimulator(choice) { return locator }
            }
        }
        return try open(.standard)
    }

    static func hint(for argument: [UInt8]) -> String? {
        let parts = argument.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let files = ["capsule", "gz", "json", "plist", "tar", "tgz", "xcappdata", "zip", "zst"]
        guard parts.count > 2, !parts.contains([]), SimulatorAdvice.isPlain(String(decoding: argument, as: UTF8.self)),
            !files.contains(where: { $0.utf8.elementsEqual(parts[parts.count - 1]) })
        else { return nil }
        return "'sim:booted/\(HostPath(argument))' names the container of this app on the booted simulator"
    }

    private var malformed: CapsuleError {
        CapsuleError(
            .usage, "does not name an app on a simulator", path: HostPath(argument),
            hint: "write 'sim:com.example.app', or 'sim:DEVICE/com.example.app' with a UDID, a name or 'booted' as DEVICE")
    }
}

/// A choice of simulators, as made with `--device` and `sim:`.
package enum SimulatorChoice: Hashable, Sendable {
    case booted
    /// The simulator with a UDID, or all simulators with a name.
    case named(String)

    package init(_ text: String) {
        self = text == "booted" ? .booted : .named(text)
    }

    /// Returns the chosen simulators: by UDID, else by exact name, else by name in any case.
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

    /// Returns true if the choice may include a simulator of which only the UDID is known.
    func mayMean(udid: String) -> Bool {
        guard case .named(let text) = self, ContainerNaming.isUUID(Array(text.utf8)) else { return true }
        return text.lowercased() == udid.lowercased()
    }

    func missing(among simulators: [Simulator], in devices: HostPath) -> CapsuleError {
        switch self {
        case .booted:
            CapsuleError(.notFound, "no simulator is booted", path: devices, hint: "choose one by name or UDID with '--device'")
        case .named(let text):
            CapsuleError(
                .notFound, "no simulator is named '\(text)'", path: devices,
                hint: "'capsule locate' lists simulators that have apps",
                misspelt: (text, Array(Set(simulators.map(\.name))).sorted()))
        }
    }
}

/// A set of simulators that Xcode keeps in a directory of its own.
package enum SimulatorSet: String, Sendable, CaseIterable {
    /// The simulators that Xcode lists.
    case standard = "default"
    /// The simulators that run SwiftUI previews.
    case previews
    /// The clones that run tests in parallel.
    case xctest

    /// The directory of the set, relative to the home directory.
    var place: String {
        switch self {
        case .standard: "Library/Developer/CoreSimulator/Devices"
        case .previews: "Library/Developer/Xcode/UserData/Previews/Simulator Devices"
        case .xctest: "Library/Developer/XCTestDevices"
        }
    }

    /// The hint if there are no simulators. `sim:` has no flag to name others.
    static let missingHint = """
        simulators need a Mac with Xcode; 'capsule locate --devices DIR' prints paths in a copied Devices directory, to use instead of sim:
        """

    package func directory() throws(CapsuleError) -> HostPath {
        guard let home = Host.environment("HOME"), home.first == UInt8(ascii: "/") else {
            throw CapsuleError(
                "HOME is not set to a directory, so the simulators can't be found",
                hint: SimulatorSet.missingHint)
        }
        return HostPath(home).appending(Array(place.utf8))
    }
}
