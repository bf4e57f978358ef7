extension CommandDefinition {
    /// The help of one form: how it is called, with its own flags and examples. The rest is the verb's.
    func narrowed(to form: CommandForm) -> CommandDefinition {
        guard let verb, let word = form.word else { return self }
        let name = "\(verb) \(word)"
        return CommandDefinition(
            verb: name, summary: form.summary, forms: [CommandForm(form.id, form.positionals, flags: form.flags)],
            flags: flags.filter(form.takes), constraints: constraints, description: description,
            explainsContainers: explainsContainers,
            examples: examples.filter { $0.command.contains("capsule \(name)") }, statuses: statuses, environment: environment,
            related: [verb] + related)
    }
}
