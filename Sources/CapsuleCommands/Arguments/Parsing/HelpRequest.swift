/// Which help is asked for.
struct HelpRequest: Sendable {
    /// What is explained.
    enum Subject: Sendable {
        /// A verb, one of its forms, or `capsule` itself.
        case command(CommandDefinition, HelpPage.Form)
        case guide(Guide)
        /// A page of section 5.
        case page(ReferencePage)
    }

    let subject: Subject
    /// What `--color` said before help was asked for.
    let color: ColorChoice
}

extension HelpRequest {
    /// Whether the text may be long, and a pager is of use.
    var isLong: Bool {
        if case .command(_, .short) = subject { false } else { true }
    }

    /// What is printed.
    ///
    /// - Parameters:
    ///   - width: the columns of the terminal, if known.
    ///   - isStyled: whether headings and what is typed literally are bold (with ANSI escapes).
    func text(width: Int, isStyled: Bool) -> String {
        switch subject {
        case .command(let command, let form):
            HelpPage(command, form).text(width: width, isStyled: isStyled)
        case .guide(let guide):
            ReferencePage(name: guide.topic, volume: .files, summary: guide.summary, sections: guide.sections)
                .text(heading: "`capsule help \(guide.topic)`: \(guide.summary)", width: width, isStyled: isStyled)
        case .page(let page):
            page.text(
                heading: "`\(page.name)`(\(page.volume.rawValue)): \(page.summary)", width: width, isStyled: isStyled)
        }
    }
}
