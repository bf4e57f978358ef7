/// What a flag's or a positional's value may be. The parser checks it, messages tell it, completions follow it.
enum ValueForm: Sendable, Hashable {
    /// A container in any form; `-` is standard input where the verb says so.
    case container(FileUse)
    case file(FileUse)
    case directory(FileUse)
    /// A path inside a container.
    case path
    /// A pattern over such paths.
    case glob
    /// UTF-8 that a property list can hold.
    case text
    /// The name of a version.
    case label
    /// Versions as `FILE@VERSION` names them, with commas between.
    case versions
    case integer(ClosedRange<Int>)
    /// Seconds from 0 on, with decimals, up to so many.
    case seconds(Int)
    case words([String])
    /// `NAME=DIRECTORY`.
    case namedDirectory(FileUse)
    /// `[ROOT:]PATH=FILE`.
    case namedFile(FileUse)
    /// `NAME=VALUE`; the value may be empty.
    case definition
    /// What `capsule help` explains.
    case topic
    /// A program, or an argument for it.
    case program

    /// What is done with the file or the directory that it names; nil if it names none.
    var use: FileUse? {
        switch self {
        case .container(let use), .file(let use), .directory(let use), .namedDirectory(let use), .namedFile(let use): use
        case .path, .glob, .text, .label, .versions, .integer, .seconds, .words, .definition, .topic, .program: nil
        }
    }

    /// The words of `choice`, in its order.
    static func words<Choice: WordChoice>(_ choice: Choice.Type) -> ValueForm {
        .words(Choice.allCases.map(\.rawValue))
    }
}
