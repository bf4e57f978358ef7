/// An argument that is known by its place, not by a flag.
struct Positional: Sendable {
    /// Which one it is; values are looked up by it, through an ``ArgumentKey``.
    enum ID: Sendable, Hashable, CaseIterable {
        case container, file, path, paths, manDirectory, shell, topics, overlays, target
        case old, new, base, ours, theirs, overlay, plistFile, plistFiles, pointer, format
        case identifier, noise, command
        case driverBase, driverOurs, driverTheirs, markSize, driverPath
    }

    /// How many arguments it takes. `optional` and `any` come last, in that order. A form with `some` has only `one` otherwise.
    enum Arity: Sendable, Hashable {
        case one
        case optional
        /// None or more.
        case any
        /// One or more: all that those behind it leave.
        case some
        /// All that follow `--`, one or more: a program with its arguments. It comes last, and nothing before it takes them.
        case program
    }

    let id: ID
    /// How help calls it: `CONTAINER`, or the words themselves.
    let name: String
    let arity: Arity
    let form: ValueForm

    init(_ id: ID, _ name: String, _ form: ValueForm, _ arity: Arity = .one) {
        self.id = id
        self.name = name
        self.arity = arity
        self.form = form
    }

    /// `CONTAINER`, `[DIR]`, `[PATH]...`, `OVERLAY...`, `-- COMMAND...`
    var synopsis: String {
        switch arity {
        case .one: name
        case .optional: "[\(name)]"
        case .any: "[\(name)]..."
        case .some: "\(name)..."
        case .program: "-- \(name)..."
        }
    }
}
