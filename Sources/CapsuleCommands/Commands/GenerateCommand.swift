import CapsuleCore
import CapsuleEngine

/// `capsule generate man` and `capsule generate completions`
struct GenerateCommand {
    let context: CommandContext

    /// With a directory all pages of both sections, as files; without one `capsule.1`.
    func man() throws(CapsuleError) -> ExitStatus {
        let isSplit = context.command[.bySection]
        guard let directory = context.command[.manDirectory] else {
            if isSplit { throw CapsuleError(.usage, "'--by-section' needs DIR", hint: "it sets the directories of the pages") }
            let page = ManPage(.program, date: CapsuleVersion.date, version: CapsuleVersion.text)
            try context.write(Array(page.source.utf8))
            return .success
        }
        let pages = ManPage.all(date: CapsuleVersion.date, version: CapsuleVersion.text)
        try TextFiles.write(
            pages.map { page in
                let section = isSplit ? "man\(page.volume.rawValue)" : ""
                return TextFiles.File(directory: section, name: page.fileName, text: page.source)
            }, into: HostPath(directory), replacing: context.command[.replacement])
        return .success
    }

    func completions() throws(CapsuleError) -> ExitStatus {
        try context.write(Array(Completions(for: context.command[.shell]).script.utf8))
        return .success
    }
}
