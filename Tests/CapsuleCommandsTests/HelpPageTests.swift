import Testing

@testable import CapsuleCommands

@Suite struct HelpPageTests {
    static let all = CommandTable.capsule.all

    @Test func shortHelpOfLs() {
        #expect(
            HelpPage(.ls, .short).text() == """
                capsule ls: list what is in a container

                Usage: capsule ls CONTAINER [PATH]... [FLAG]...

                What is written
                  -l, --long  add mode, size, time and digest

                For every verb
                      --color WHEN  use color: auto (the default), always or never
                  -h, --help        print this short help; --help prints all of it
                  -j, --jobs N      work on N things at once (default: one per core)
                      --json        report as JSON, one object a line
                  -q, --quiet       print no progress, notes or summaries
                  -v, --verbose     say more about what is packed

                capsule ls --help tells more and has examples.

                """)
    }

    @Test(arguments: all, [40, 60, 80, 100]) func linesFit(command: CommandDefinition, width: Int) {
        for form in [HelpPage.Form.short, .long] {
            for line in HelpPage(command, form).text(width: width).split(separator: "\n") {
                // Below 80 columns a command of an example, a heading or a synopsis may be wider: they are not broken.
                #expect(line.count <= max(width, 80), "\(line)")
                #expect(line.last != " ", "\(line)")
            }
        }
    }

    @Test(arguments: all) func runningTextIsWrappedToTheWidth(command: CommandDefinition) {
        let narrow = HelpPage(command, .long).text(width: 40)
        let sections = narrow.split(separator: "\n\n")
        for line in sections.filter({ $0.hasPrefix("    ") && !$0.contains("capsule ") }).flatMap({ $0.split(separator: "\n") }) {
            #expect(line.count <= 40 || !line.drop { $0 == " " }.contains(" ") || line.contains(", --"), "\(line)")
        }
    }

    @Test(arguments: all) func shortHelpFitsOnAScreen(command: CommandDefinition) {
        #expect(HelpPage(command, .short).text().split(separator: "\n", omittingEmptySubsequences: false).count <= 50)
    }

    @Test(arguments: all) func allIsSaid(command: CommandDefinition) {
        let short = HelpPage(command, .short).text()
        let long = HelpPage(command, .long).text()
        for spelling in command.flags.flatMap(\.spellings) {
            #expect(short.contains(spelling))
            #expect(long.contains(spelling))
        }
        for section in ["SYNOPSIS", "DESCRIPTION", "FLAGS", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "SEE ALSO"] {
            #expect(long.contains("\n\(section)\n"))
        }
        #expect(long.contains("\nCONTAINERS\n") == command.explainsContainers)
        for example in command.examples { #expect(long.contains("\n        \(example.command)\n")) }
    }

    @Test(arguments: all) func styleAddsNothingButBold(command: CommandDefinition) {
        for form in [HelpPage.Form.short, .long] {
            let page = HelpPage(command, form)
            let styled = page.text(isStyled: true)
            #expect(styled.contains("\u{1B}[1m"))
            #expect(styled.replacing("\u{1B}[1m", with: "").replacing("\u{1B}[0m", with: "") == page.text())
            #expect(!page.text().contains("\u{1B}"))
        }
    }

    @Test func widthIsHeldToWhatCanBeRead() {
        #expect(HelpPage(.pack, .long).text(width: 0) == HelpPage(.pack, .long).text(width: 40))
        #expect(HelpPage(.pack, .long).text(width: 500) == HelpPage(.pack, .long).text(width: 100))
    }
}
