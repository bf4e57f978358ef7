extension CommandDefinition {
    /// How each form is called, own flags unlisted but for those that it can't do without: `capsule pack CONTAINER [FLAG]...`,
    /// `capsule overlay invert FILE -o FILE [FLAG]...`
    var shortSynopsis: [String] {
        verb == nil
            ? ["capsule VERB [ARGUMENT]..."]
            : forms.map { form in
                let (before, behind) = form.positionalsAroundFlags
                let needed = ownFlags.filter { isNeeded($0, by: form) }.map(\.plainSynopsis)
                let words = [head(of: form)] + before.map(\.synopsis) + needed + ["[FLAG]..."] + behind.map(\.synopsis)
                return words.joined(separator: " ")
            }
    }

    /// How each form is called: what is typed as it is, then the parts, of which none is to be broken. Common flags are
    /// left out.
    ///
    /// In marked text (see ``MarkedText``): a flag is literal, a value a placeholder.
    var longSynopsis: [(head: String, parts: [String])] {
        if verb == nil {
            return [
                (invocation, ["*VERB*", "[*ARGUMENT*]..."]),
                (invocation + " help", ["[*TOPIC*]"]),
                (invocation + " --version", []),
            ]
        }
        return forms.map { form in
            let (before, behind) = form.positionalsAroundFlags
            let taken = ownFlags.filter(form.takes)
            let needed = taken.filter { isNeeded($0, by: form) }.map(\.markedCall)
            let flags = needed + taken.filter { !isNeeded($0, by: form) }.map(\.markedSynopsis)
            return (head(of: form), before.map(\.markedSynopsis) + flags + behind.map(\.markedSynopsis))
        }
    }

    /// Whether a form can't be called without the flag.
    private func isNeeded(_ flag: Flag, by form: CommandForm) -> Bool {
        constraints.contains { constraint in
            if case .choice(let flags, let id, _) = constraint { flags == [flag.id] && id == form.id } else { false }
        }
    }

    private func head(of form: CommandForm) -> String {
        form.word.map { invocation + " " + $0 } ?? invocation
    }
}

extension CommandForm {
    /// The positionals as they are shown before and behind the flags: behind a program there are none but its own.
    fileprivate var positionalsAroundFlags: (before: [Positional], behind: [Positional]) {
        (positionals.filter { $0.arity != .program }, positionals.filter { $0.arity == .program })
    }
}

extension Flag {
    /// `[-o FILE]`, in marked text.
    fileprivate var markedSynopsis: String { "[\(markedCall)]" + (value?.isRepeatable == true ? "..." : "") }

    /// `-o FILE`, in marked text.
    fileprivate var markedCall: String {
        "`\(takesOptionalValue ? longSpelling : shortSpelling ?? longSpelling)`\(markedValue)"
    }

    /// `-o FILE`
    fileprivate var plainSynopsis: String { (shortSpelling ?? longSpelling) + (value.map { " " + $0.name } ?? "") }
}

extension Flag {
    /// Whether a value may follow the long spelling, after `=`.
    var takesOptionalValue: Bool { value?.isOptional == true }

    /// What follows the flag, in marked text: ` FILE`, or `[=all]`.
    var markedValue: String {
        guard let value else { return "" }
        return value.isOptional ? "[`=\(value.name)`]" : " " + value.markedName
    }
}

extension Flag.Value {
    /// The name in marked text: words are literal, anything else is a placeholder.
    var markedName: String {
        if case .words(let words) = form, name == words.joined(separator: "|") { return "`\(name)`" }
        return "*\(name)*"
    }
}

extension Positional {
    /// The synopsis in marked text.
    fileprivate var markedSynopsis: String {
        let isWords = if case .words = form { true } else { false }
        let marked = isWords ? "`\(name)`" : "*\(name)*"
        return switch arity {
        case .one: marked
        case .optional: "[\(marked)]"
        case .any: "[\(marked)]..."
        case .some: "\(marked)..."
        case .program: "`--` \(marked)..."
        }
    }
}
