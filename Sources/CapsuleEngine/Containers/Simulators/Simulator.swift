public import CapsuleCore
import CapsulePropertyList

/// A simulator, as its `device.plist` describes it.
public struct Simulator: Hashable, Sendable {
    /// What a simulator is doing, or was when its `device.plist` was last written.
    public enum State: Hashable, Sendable {
        /// One of the two states that last.
        case shutDown, booted
        /// On its way from one to the other, or anything else.
        case other

        /// The word for it, in reports.
        public var word: String {
            switch self {
            case .shutDown: "shut down"
            case .booted: "booted"
            case .other: "neither"
            }
        }
    }

    /// Its identifier: the name of its directory.
    public let udid: String
    /// What people call it: `iPhone 16`. It need not be the only one of that name.
    public let name: String
    /// The identifier of what it runs: `com.apple.CoreSimulator.SimRuntime.iOS-18-2`; nil where that is not said.
    public let runtime: String?
    /// What it is doing.
    public let state: State

    /// Reads a `device.plist`; nil for what is none.
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

    /// What it runs, as people say it: `iOS 18.2`; the identifier, if it has another form.
    public var runtimeName: String? {
        guard let runtime, let last = runtime.split(separator: ".").last else { return nil }
        let parts = last.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count > 1, parts.dropFirst().allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isNumber) }) else { return runtime }
        return "\(parts[0]) \(parts.dropFirst().joined(separator: "."))"
    }

    /// `iPhone 16 (UDID, iOS 18.2, booted)`
    public var description: String {
        "\(name) (\(([udid] + [runtimeName, state.word].compactMap { $0 }).joined(separator: ", ")))"
    }
}

/// An app's data container as `sim:[DEVICE/]BUNDLE-ID` names it; DEVICE is a UDID, a name, or `booted`.
struct SimulatorName {
    private static let prefix = Array("sim:".utf8)

    /// As it was given.
    private let argument: [UInt8]

    /// Whether a word on the command line is meant so, whatever it is behind the colon.
    init?(_ argument: [UInt8]) {
        guard argument.starts(with: Self.prefix) else { return nil }
        self.argument = argument
    }

    /// The container's directory.
    ///
    /// - Throws: where there is none, or where there are several, with a list of them.
    func resolve(warn: (CapsuleError) -> Void) throws(CapsuleError) -> HostPath {
        guard let text = String(validating: argument.dropFirst(Self.prefix.count), as: UTF8.self) else { throw malformed }
        // No bundle identifier has a slash, and a simulator's name may.
        let slash = text.lastIndex(of: "/")
        let identifier = slash.map { text[text.index(after: $0)...] } ?? text[...]
        let device = slash.map { text[..<$0] }
        guard !identifier.isEmpty, device?.isEmpty != true else { throw malformed }
        let locator = try SimulatorLocator(devices: SimulatorSet.standard.directory()) {
            "'sim:DEVICE/\($0)' selects one by name or UDID"
        }
        let outcome = try locator.locate(String(identifier), on: device.map { SimulatorChoice(String($0)) })
        for warning in outcome.warnings { warn(warning) }
        guard let found = outcome.containers.first else { throw malformed }
        return found.path
    }

    private var malformed: CapsuleError {
        CapsuleError(
            .usage, "does not name an app on a simulator", path: HostPath(argument),
            hint: "write 'sim:com.example.app', or 'sim:DEVICE/com.example.app' with a UDID, a name or 'booted' as DEVICE")
    }
}

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
        simulators need a Mac with Xcode; 'capsule locate --devices DIR' prints paths in a copied Devices directory, to use instead of sim:
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
