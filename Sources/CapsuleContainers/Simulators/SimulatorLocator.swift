package import CapsuleCore

/// Finds containers in the directories of simulators. It reads these itself, so Xcode is not needed.
package struct SimulatorLocator {
    package struct Outcome: Sendable {
        /// The containers, by simulator, then by identifier.
        package var containers: [LocatedContainer] = []
        package var warnings: [CapsuleError] = []
    }

    let tree: SimulatorTree
    private let narrowing: (String) -> String

    package init(
        devices: HostPath, narrowing: @escaping (String) -> String = { _ in "choose one with '--device'" }
    ) throws(CapsuleError) {
        tree = try SimulatorTree(devices)
        self.narrowing = narrowing
    }

    /// Returns all containers of a kind. Without a kind, returns a container for each app: its data, else its bundle.
    package func list(
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

    /// Returns the container of a kind that has an identifier, on one simulator. For app groups, a bundle identifier returns all
    /// groups that are named after it.
    /// - Parameters:
    ///   - isOnEach: true to return the containers of all simulators.
    ///   - prefersBooted: true to return that of the only booted simulator that has one, if several do.
    package func locate(
        _ identifier: String, _ kind: LocatedContainer.Kind = .data, on choice: SimulatorChoice? = nil, isOnEach: Bool = false,
        prefersBooted: Bool = false
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
            // Once a simulator has the container, its damaged ones are not the one that was meant.
            if own.isEmpty { damaged += found.damaged }
        }
        outcome.warnings = damaged.map(\.warning)
        let booted = outcome.containers.filter { $0.simulator.state == .booted }
        if prefersBooted, booted.count == 1 { outcome.containers = booted }
        guard let first = outcome.containers.first else {
            throw try missing(identifier, kind, known, choice, simulators, damaged)
        }
        let isOnOne = outcome.containers.allSatisfy { $0.simulator.udid == first.simulator.udid }
        let areGroups = kind == .group && Set(outcome.containers.map(\.identifier)).count == outcome.containers.count
        guard isOnEach || outcome.containers.count == 1 || (isOnOne && areGroups) else {
            var error = CapsuleError(
                "\(identifier) has \(outcome.containers.count) \(kind.words(outcome.containers.count))",
                hint: isOnOne ? "use the path of one of them" : narrowing(identifier))
            error.details = outcome.containers.map { "\($0.simulator.description): \($0.path)" }
            throw error
        }
        return outcome
    }

    func hasSimulator(_ choice: SimulatorChoice) throws(CapsuleError) -> Bool {
        try !choice.pick(from: tree.simulators().whole).isEmpty
    }

    private static func containers(of identifier: String, among all: [LocatedContainer]) -> [LocatedContainer] {
        let exact = all.filter { $0.identifier == identifier }
        return exact.isEmpty ? all.filter { $0.kind == .group && $0.goesBy(identifier) } : exact
    }

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
package struct LocatedContainer: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case data
        case bundle
        case group

        /// The directory in a simulator that has the containers of this kind, each in a directory named by a UUID.
        var place: [UInt8] {
            switch self {
            case .data: Array("data/Containers/Data/Application".utf8)
            case .bundle: Array("data/Containers/Bundle/Application".utf8)
            case .group: Array("data/Containers/Shared/AppGroup".utf8)
            }
        }

        var article: String { self == .group ? "an" : "a" }

        func words(_ count: Int) -> String {
            switch self {
            case .data: count == 1 ? "data container" : "data containers"
            case .bundle: count == 1 ? "bundle" : "bundles"
            case .group: count == 1 ? "app group" : "app groups"
            }
        }
    }

    package let simulator: Simulator
    package let kind: Kind
    package let identifier: String
    /// The app's name; nil if it is not known, as for a group.
    package internal(set) var name: String?
    package let uuid: String
    /// The absolute path of the container; for a bundle, that of `NAME.app`.
    package let path: HostPath

    /// Returns true if a group is named after an app's bundle identifier: the group's identifier has it between dots, as in
    /// `group.com.example.gifs` and `TEAM.com.example.gifs.shared`. The groups that an app really has are in its signature, and
    /// may have any name.
    func goesBy(_ bundleIdentifier: String) -> Bool {
        ".\(identifier).".contains(".\(bundleIdentifier).")
    }
}
