/// Which help is asked for.
struct HelpRequest: Sendable {
    /// The verb, or `capsule` itself.
    let command: CommandDefinition
    let form: HelpPage.Form
    /// What `--color` said before help was asked for.
    let color: ColorChoice
}
