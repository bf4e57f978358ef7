import CapsuleCore
import CapsuleEngine

/// `capsule generate man` and `capsule generate completions`
struct GenerateCommand {
    let context: CommandContext

    /// With a directory all pages, as files; without one `capsule.1`.
    func man() throws(CapsuleError) -> ExitStatus {
        guard let directory = context.command[.manDirectory] else {
            let page = ManPage(.program, date: CapsuleVersion.date, version: CapsuleVersion.text)
            try context.write(Array(page.source.utf8))
            return .success
        }
        let pages = ManPage.all(date: CapsuleVersion.date, version: CapsuleVersion.text)
        try TextFiles.write(
            pages.map { (name: $0.fileName, text: $0.source) }, into: HostPath(directory),
            replacing: context.command[.replacement])
        return .success
    }

    func completions() throws(CapsuleError) -> ExitStatus {
        try context.write(Array(Completions(for: context.command[.shell]).script.utf8))
        return .success
    }
}
