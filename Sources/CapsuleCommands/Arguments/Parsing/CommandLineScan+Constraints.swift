import CapsuleCore

extension CommandLineScan {
    /// Checks what must hold between flags.
    func checkConstraints() throws(UsageError) {
        for constraint in command.constraints {
            switch constraint {
            case .conflict(let one, let other, let reason):
                if holds(one), holds(other) {
                    throw UsageError(
                        code: .conflict, message: "'\(spelled(one))' and '\(spelled(other))' cannot be used together",
                        hint: reason)
                }
            case .requirement(let needed, let use, let reason):
                if holds(use), !holds(needed) {
                    throw UsageError(code: .conflict, message: "'\(spelled(use))' needs '\(spelled(needed))'", hint: reason)
                }
            case .requirementOfAny(let needed, let use, let reason):
                guard holds(use), !needed.contains(where: holds) else { continue }
                let list = Suggestions.alternatives(needed.map { "'\(spelled($0))'" })
                throw UsageError(code: .conflict, message: "'\(spelled(use))' needs \(list)", hint: reason)
            case .limit(let flag, let range, let exception, let condition, let reason):
                guard let number = values[.flag(flag)]?.last?.integer, !range.contains(number), !holds(exception) else {
                    continue
                }
                throw UsageError(
                    code: .invalidValue,
                    message: "invalid value '\(number)' for '\(spelled(Constraint.Use(flag)))': "
                        + "expected \(ValueForm.integer(range).expectation) \(condition)",
                    hint: reason)
            case .choice(let flags, let id, let reason):
                guard form?.id == id else { continue }
                let given = flags.map { Constraint.Use($0) }.filter(holds)
                guard given.count != 1 else { continue }
                let list = Suggestions.alternatives(flags.map { spelled(Constraint.Use($0)) })
                throw UsageError(
                    code: given.isEmpty ? .missingArgument : .conflict,
                    message: given.isEmpty
                        ? "'\(calledForm)' needs \(list)"
                        : "'\(spelled(given[0]))' and '\(spelled(given[1]))' cannot be used together",
                    hint: reason)
            }
        }
    }

    /// Checks that each flag is one of the form's.
    func checkFlags(of form: CommandForm) throws(UsageError) {
        for flag in command.flags where values[.flag(flag.id)] != nil && !form.takes(flag) {
            let others = command.forms.filter { $0.takes(flag) }.compactMap(\.word)
            throw UsageError(
                code: .unknownFlag,
                message: "'\(command.verb ?? "") \(form.word ?? "")' does not take '\(flag.longSpelling)'",
                hint: "it belongs to \(Suggestions.alternatives(others.map { "'\(command.invocation) \($0)'" }))")
        }
    }

    /// Whether the call uses the flag so.
    private func holds(_ use: Constraint.Use) -> Bool {
        guard let value = values[.flag(use.flag)]?.last else { return false }
        if use.values.isEmpty { return true }
        switch value {
        case .text(let text): return use.values.contains(text)
        case .bytes(let bytes): return use.values.contains { $0.utf8.elementsEqual(bytes) }
        case .on, .integer, .seconds, .named: return false
        }
    }

    /// `--as`, `--output -`, `--as tar.gz|tar.zst|zip`
    private func spelled(_ use: Constraint.Use) -> String {
        let flag = command.flag(use.flag)?.longSpelling ?? ""
        return use.values.isEmpty ? flag : flag + " " + use.values.joined(separator: "|")
    }
}
