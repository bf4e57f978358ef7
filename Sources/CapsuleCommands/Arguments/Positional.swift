import CapsuleCore

/// An argument that is identified by its position, declared once. A command reads it as `command[.container]`.
struct Positional<Value: Sendable>: Sendable {
    private(set) var definition: PositionalDefinition
    /// Returns the value from the arguments that the parser assigned to it.
    let read: @Sendable ([ArgumentValue]) -> Value

    var id: ArgumentID { definition.id }

    /// Exactly one argument.
    init(_ name: String, _ type: ArgumentType<Value>) {
        definition = PositionalDefinition(id: ArgumentID(name, Value.self), name: name, arity: .one, form: type.form)
        read = { values in
            guard let value = values.last else { preconditionFailure("the parser assigned no argument to \(name)") }
            return type.value(value)
        }
    }

    /// One argument or none.
    init<Element>(optional name: String, _ type: ArgumentType<Element>) where Value == Element? {
        definition = PositionalDefinition(id: ArgumentID(name, Value.self), name: name, arity: .optional, form: type.form)
        read = { $0.last.map(type.value) }
    }

    /// Several arguments.
    init<Element>(_ name: String, _ type: ArgumentType<Element>, _ arity: PositionalDefinition.Arity) where Value == [Element] {
        definition = PositionalDefinition(id: ArgumentID(name, Value.self), name: name, arity: arity, form: type.form)
        read = { $0.map(type.value) }
    }

    /// Returns the positional for a form that takes exactly one argument for it.
    func single(_ name: String? = nil) -> Self {
        var positional = self
        positional.definition.name = name ?? definition.name
        positional.definition.arity = .one
        return positional
    }

    /// Returns the positional for a form that names it differently.
    func named(_ name: String) -> Self {
        var positional = self
        positional.definition.name = name
        return positional
    }

    /// Returns the positional for a form that takes a different form of value of the same type.
    func taking(_ type: ArgumentType<Value>) -> Self {
        var positional = self
        positional.definition.form = type.form
        return positional
    }
}

/// A positional without the type of its value, for tables of forms.
struct PositionalDefinition: Sendable {
    /// The number of arguments that a positional takes. `optional` and `any` come last, in that order. If a form has a `some`, its other
    /// positionals are `one`.
    enum Arity: Sendable, Hashable {
        case one
        case optional
        /// Zero or more.
        case any
        /// One or more: all except those that the following positionals need.
        case some
        /// All arguments after `--`, one or more: a program with its arguments. It comes last, and no other positional takes them.
        case program
    }

    let id: ArgumentID
    /// The name in help: `CONTAINER`, or the words themselves.
    var name: String
    var arity: Arity
    var form: ValueForm

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

// The positionals of several verbs; those of one verb are declared beside it.

extension Positional<[UInt8]> {
    static var container: Self { Self("CONTAINER", .container(.input)) }
    /// The capsule of `verify`, `log`, `repair` and `compact`, the overlay of `overlay`, the file of `git textconv`.
    static var file: Self { Self("FILE", .file(.input)) }
    static var target: Self { Self("TARGET", .file(.target)) }
}

extension Positional<[[UInt8]]> {
    static var paths: Self { Self("PATH", .path, .any) }
    /// The overlays of `apply` and `overlay compose`; the undo file of `undo`.
    static var overlays: Self { Self("OVERLAY", .file(.input), .some) }
}
