public import CapsuleCore

/// Finds containers in the directories of simulators, which it reads itself: no Xcode is needed.
public struct SimulatorLocator {
    /// What was found, and what to say of it.
    public struct Outcome: Sendable {
        /// By simulator, then by identifier.
        public var containers: [LocatedContainer] = []
        /// Of what could not be understood and might have been meant.
        public var warnings: [CapsuleError] = []
    }

    private let tree: SimulatorTree
    /// What to do about several matches; it is handed the identifier.
    private let narrowing: (String) -> String

    /// Looks into a directory that holds a directory for each simulator.
    ///
    /// - Parameters:
    ///   - devices: that directory.
    ///   - narrowing: how the user says which simulator is meant, as a hint.
    /// - Throws: where there is no such directory.
    public init(
        devices: HostPath, narrowing: @escaping (String) -> String = { _ in "choose one with '--device'" }
    ) throws(CapsuleError) {
        tree = try SimulatorTree(devices)
        self.narrowing = narrowing
    }

    /// All containers of a kind; without one a container for each app: its data, else its bundle.
    ///
    /// - Throws: where no simulator is meant by `choice`.
    public func list(
        _ kind: LocatedContainer.Kind?, on choice: SimulatorChoice? = nil
    ) throws(CapsuleError) -> Outcome {
        let simulators = try self.simulators(choice)
        var outcome = Outcome(warnings: simulators.damaged.map(\.warning))
        for simulator in simulators.meant {
            let bundles = kind == .group ? SimulatorTree.Containers() : try tree.containers(of: simulator, .bundle)
            let named = bundles.whole.compactMap { bundle in bundle.name.map { (bundle.identifier, $0) } }
            let names = Dictionary(named) { one, _ in one }
            var found = kind == .bundle ? bundles : try tree.containers(of: simulator, kind ?? .data)
            for index in found.whole.indices where kind != .group {
                found.whole[index].name = names[found.whole[index].identifier]
            }
            if kind == nil {
                let withData = Set(found.whole.map(\.identifier))
                found.whole += bundles.whole.filter { !withData.contains($0.identifier) }
                found.whole.sort { $0.identifier < $1.identifier }
                found.damaged += bundles.damaged
            }
            outcome.containers += found.whole
            outcome.warnings += found.damaged.map(\.warning)
        }
        return outcome
    }

    /// The container of a kind that an identifier names, on one simulator; of a bundle identifier all groups that go by it.
    ///
    /// - Throws: where there is none, or where there are several, with a list of them.
    public func locate(
        _ identifier: String, _ kind: LocatedContainer.Kind = .data, on choice: SimulatorChoice? = nil
    ) throws(CapsuleError) -> Outcome {
        let simulators = try self.simulators(choice)
        var outcome = Outcome()
        var known: Set<String> = []
        var damaged = simulators.damaged
        for simulator in simulators.meant {
            let found = try tree.containers(of: simulator, kind)
            let own = Self.containers(of: identifier, among: found.whole)
            known.formUnion(found.whole.map(\.identifier))
            outcome.containers += own
            // Where it was found, what else is there is not it.
            if own.isEmpty { damaged += found.damaged }
        }
        outcome.warnings = damaged.map(\.warning)
        guard let first = outcome.containers.first else {
            throw try missing(identifier, kind, known, choice, simulators, damaged)
        }
        let isOnOne = outcome.containers.allSatisfy { $0.simulator.udid == first.simulator.udid }
        let areGroups = kind == .group && Set(outcome.containers.map(\.identifier)).count == outcome.containers.count
        guard outcome.containers.count == 1 || (isOnOne && areGroups) else {
            var error = CapsuleError(
                "\(identifier) has \(outcome.containers.count) \(kind.words(outcome.containers.count))",
                hint: isOnOne ? "use the path of one of them" : narrowing(identifier))
            error.details = outcome.containers.map { "\($0.simulator.description): \($0.path)" }
            throw error
        }
        return outcome
    }

    private static func containers(of identifier: String, among all: [LocatedContainer]) -> [LocatedContainer] {
        let exact = all.filter { $0.identifier == identifier }
        return exact.isEmpty ? all.filter { $0.kind == .group && $0.goesBy(identifier) } : exact
    }

    // MARK: Simulators

    private typealias Simulators = (all: [Simulator], meant: [Simulator], damaged: [SimulatorTree.Damage])

    private func simulators(_ choice: SimulatorChoice?) throws(CapsuleError) -> Simulators {
        let (all, damaged) = try tree.simulators()
        guard let choice else { return (all, all, damaged) }
        let meant = choice.pick(from: all)
        let candidates = damaged.filter { choice.mayMean(udid: $0.udid) }
        guard meant.isEmpty else {
            return (all, meant, candidates)
        }
        var error = choice.missing(among: all, in: tree.path)
        error.details = SimulatorTree.Damage.lines(candidates)
        throw error
    }

    /// What to say where an identifier names nothing.
    private func missing(
        _ identifier: String, _ kind: LocatedContainer.Kind, _ known: Set<String>, _ choice: SimulatorChoice?,
        _ simulators: Simulators, _ damaged: [SimulatorTree.Damage]
    ) throws(CapsuleError) -> CapsuleError {
        let count = simulators.meant.count
        let owner = count == 1 ? simulators.meant[0].description : choice == nil ? "no simulator" : "none of \(count) simulators"
        let message = "\(owner) has \(count == 1 ? "no" : kind.article) \(kind.words(1)) of \(identifier)"
        var others: [Simulator] = []
        for simulator in simulators.all where !simulators.meant.contains(simulator) {
            let found = try tree.containers(of: simulator, kind).whole
            if !Self.containers(of: identifier, among: found).isEmpty { others.append(simulator) }
        }
        var error: CapsuleError
        if let other = others.first {
            error = CapsuleError(.notFound, message, hint: "\(other.description) has it")
        } else {
            let hint =
                kind == .group
                ? "'capsule locate --kind group' lists all app groups" : "'capsule locate' lists all containers"
            error = CapsuleError(.notFound, message, hint: hint, misspelt: (identifier, known.sorted()))
        }
        error.details = SimulatorTree.Damage.lines(damaged)
        return error
    }
}

/// A container that was found in a simulator's directories.
public struct LocatedContainer: Hashable, Sendable {
    /// What a container is for.
    public enum Kind: String, Sendable, CaseIterable {
        /// An app's data.
        case data
        /// The app itself: `NAME.app`.
        case bundle
        /// What the apps of a group share.
        case group

        /// Where a simulator has such containers, each in a directory named by a UUID.
        var place: [UInt8] {
            switch self {
            case .data: Array("data/Containers/Data/Application".utf8)
            case .bundle: Array("data/Containers/Bundle/Application".utf8)
            case .group: Array("data/Containers/Shared/AppGroup".utf8)
            }
        }

        /// What stands before the word for one.
        var article: String { self == .group ? "an" : "a" }

        /// What messages call one: `data container`.
        func words(_ count: Int) -> String {
            switch self {
            case .data: count == 1 ? "data container" : "data containers"
            case .bundle: count == 1 ? "bundle" : "bundles"
            case .group: count == 1 ? "app group" : "app groups"
            }
        }
    }

    /// The simulator that has it.
    public let simulator: Simulator
    /// What it is for.
    public let kind: Kind
    /// The bundle identifier, or a group's identifier.
    public let identifier: String
    /// The app's name; nil where it is not known, as of a group.
    public internal(set) var name: String?
    /// The UUID of this installation: the name of the container's directory.
    public let uuid: String
    /// Where it is, from the root of the file system; of a bundle the `NAME.app`.
    public let path: HostPath

    /// Whether a group goes by an app's bundle identifier: that stands in the group's between dots, as in
    /// `group.com.example.gifs` and `TEAM.com.example.gifs.shared`.
    ///
    /// Which groups an app really has stands in its signature, and any name may be in there.
    func goesBy(_ bundleIdentifier: String) -> Bool {
        ".\(identifier).".contains(".\(bundleIdentifier).")
    }
}
