import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

/// `capsule plist`
struct PlistCommand {
    let context: CommandContext
    private var command: ParsedCommand { context.command }

    init(context: CommandContext) {
        self.context = context
    }

    /// All are looked at, whatever is found.
    func lint() throws(CapsuleError) -> ExitStatus {
        var status = ExitStatus.success
        for path in command[.plistFiles] {
            do throws(CapsuleError) {
                let file = try PlistFile(HostPath(path), isLenient: command[.lenient])
                if command[.lenient] { warn(of: file) } else { try file.refuseDuplicateKeys() }
                if context.isReported { try context.write(context.reporter.linted(file, as: path, nil)) }
            } catch {
                guard error.code == .failure || error.code == .notFound || error.code == .notPermitted else { throw error }
                if command[.json] { try context.write(context.reporter.linted(nil, as: path, error)) }
                context.diagnostics.error(error)
                status = .failure
            }
        }
        return status
    }

    func get() throws(CapsuleError) -> ExitStatus {
        let value = try open().value(at: try pointer())
        try context.write(try context.reporter.value(value))
        return .success
    }

    func set() throws(CapsuleError) -> ExitStatus {
        let value = try NewValue(command).value()
        guard !(try pointer().isRoot) || command[.force] else {
            throw CapsuleError(
                .usage, "the empty pointer names the whole property list", hint: "'--force' replaces it")
        }
        return try edit(.set(value))
    }

    func remove() throws(CapsuleError) -> ExitStatus {
        try edit(.remove)
    }

    func convert() throws(CapsuleError) -> ExitStatus {
        let file = try open()
        let format = command[.format].format
        let (value, notes) = try file.converted(to: format, isLossy: command[.lossy])
        for note in notes { context.diagnostics.warning(file.error(note)) }
        return try report(try file.write(value, as: format, to: destination))
    }

    func print() throws(CapsuleError) -> ExitStatus {
        let file = try open()
        let text: [UInt8]
        do throws(PlistError) {
            text = try PlistPrinter.text(of: file.document.value, unarchives: command[.unarchive])
        } catch {
            throw file.error(error)
        }
        try context.write(text)
        return .success
    }

    private func edit(_ edit: PlistEdit) throws(CapsuleError) -> ExitStatus {
        let file = try open()
        let value = try file.value(after: edit, at: try pointer())
        return try report(try file.write(value, to: destination))
    }

    private func report(_ outcome: (isChanged: Bool, isWritten: Bool)) throws(CapsuleError) -> ExitStatus {
        let isStream = command[.output].map { HostPath($0) == .standardStream } ?? false
        if context.isReported, !isStream {
            try context.write(
                context.reporter.edited(
                    command[.plistFile], output: command[.output], isChanged: outcome.isChanged, isWritten: outcome.isWritten))
        }
        return .success
    }

    private func open() throws(CapsuleError) -> PlistFile {
        let file = try PlistFile(HostPath(command[.plistFile]), isLenient: command[.lenient])
        warn(of: file)
        return file
    }

    private func warn(of file: PlistFile) {
        for warning in file.warnings { context.diagnostics.warning(warning) }
    }

    private func pointer() throws(CapsuleError) -> PlistPointer {
        let text = command[.pointer]
        do throws(PlistError) {
            return text.utf8.first == UInt8(ascii: ":") ? try PlistPointer(plistBuddy: text) : try PlistPointer(text)
        } catch {
            throw CapsuleError(.usage, error.message, hint: error.hint)
        }
    }

    private var destination: PlistFile.Destination {
        command[.output].map { .output(HostPath($0), replaces: command[.replacement]) } ?? .inPlace
    }
}
