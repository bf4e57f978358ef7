import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsuleRules

/// A command line with what the project's file says filled in: `@V` is a version of its capsule, `app:` the app's live container, and
/// a few verbs take their missing arguments and some flags from it. A flag on the line wins.
///
/// Lines that name everything are as they were, and the file is not looked for.
struct ProjectCommandLine {
    private static let at = UInt8(ascii: "@")

    /// The line in full.
    let arguments: [[UInt8]]
    /// The project that filled something in; nil if nothing did.
    private(set) var project: Project?

    init(_ arguments: [[UInt8]], on process: HostProcess) throws(CapsuleError) {
        guard let outline = CommandLineParser().outline(arguments) else {
            self.arguments = arguments
            return
        }
        let line = Line(arguments, outline)
        guard line.names || line.isShort, let project = try Project.find(home: process.environment("HOME")) else {
            guard !line.names || line.isSecondVersion else { throw Project.missing("'@VERSION' and 'app:' need one") }
            self.arguments = arguments
            return
        }
        self.project = project
        self.arguments = try line.filled(by: project, on: process)
    }

    /// The line as a shell reads it.
    var text: String { Self.text(of: [Array("capsule".utf8)] + arguments) }

    /// Returns words as a shell reads them.
    static func text(of words: [[UInt8]]) -> String {
        words.map { $0.first == UInt8(ascii: "-") ? QuotedBytes($0).text : HostPath($0).shellWord }.joined(separator: " ")
    }

    private struct Line {
        let arguments: [[UInt8]]
        let outline: CommandLineOutline

        init(_ arguments: [[UInt8]], _ outline: CommandLineOutline) {
            (self.arguments, self.outline) = (arguments, outline)
        }

        private var words: [[UInt8]] { outline.positionals.map { arguments[$0] } }

        /// The places of names that may be the project's: positionals that are containers or files, and values of flags.
        private var places: [CommandLineOutline.Name] {
            let forms = outline.form.positionals
            let first = forms.first.map { $0.form.use == nil ? 1 : 0 } ?? 0
            let named = forms.filter { $0.form.use != nil }
            let count = named.contains { $0.arity == .some || $0.arity == .any } ? Int.max : named.count
            return outline.positionals.dropFirst(first).prefix(count).map { CommandLineOutline.Name(argument: $0, start: 0) }
                + outline.containers
        }

        /// Returns true for `@V` and `app:`. A file with such a name is itself.
        private func isProjects(_ name: CommandLineOutline.Name) -> Bool {
            let text = arguments[name.argument].dropFirst(name.start)
            return Project.isName(text) && !isFile(Array(text))
        }

        var names: Bool { places.contains(where: isProjects) }

        /// True for `diff FILE@1 @2`, which `diff` explains.
        var isSecondVersion: Bool {
            outline.form.id == .diff && words.count > 1 && words[0].first != ProjectCommandLine.at
                && words[0].contains(ProjectCommandLine.at)
        }

        /// Returns true for `@1..2`, which names both sides.
        private func isRange(_ word: [UInt8]) -> Bool {
            word.contains(ProjectCommandLine.at) && word.firstRange(of: Array("..".utf8)) != nil
        }

        private func isFile(_ name: [UInt8]) -> Bool { (try? FileProbe.exists(HostPath(name))) == true }

        /// True if arguments are missing that a project has.
        var isShort: Bool {
            switch outline.form.id {
            case .pack, .log, .run, .undo: words.isEmpty
            case .restore: words.count == 1
            // `diff FILE` compares the last two versions of a file, whatever the project.
            case .diff: words.isEmpty || words.count == 1 && Project.isName(words[0][...]) && !isRange(words[0])
            case .drop: words.count == 1 && isClasses(words[0])
            default: false
            }
        }

        /// Returns true for a list of classes of noise, in place of the directory to drop them in.
        private func isClasses(_ word: [UInt8]) -> Bool {
            let known = Set(NoiseRules().classesOfPaths.map(\.rawValue) + ["all"])
            let names = String(decoding: word, as: UTF8.self).split(separator: ",")
            return !names.isEmpty && names.allSatisfy { known.contains(String($0)) }
        }

        func filled(by project: Project, on process: HostProcess) throws(CapsuleError) -> [[UInt8]] {
            var line = arguments
            for place in places where isProjects(place) {
                let text = Array(arguments[place.argument].dropFirst(place.start))
                line[place.argument] = arguments[place.argument].prefix(place.start) + project.fullName(text)
            }
            let flags = try flags(project, line)
            let missing = try missing(project, process)
            let last = outline.end ?? line.count
            // In front of the positionals that are given, or behind them.
            let place = missing.isFirst ? outline.positionals.first ?? last : last
            line.insert(contentsOf: missing.words, at: place)
            line.insert(contentsOf: flags, at: outline.end.map { $0 + missing.words.count } ?? line.count)
            return line
        }

        private func missing(
            _ project: Project, _ process: HostProcess
        ) throws(CapsuleError) -> (words: [[UInt8]], isFirst: Bool) {
            guard isShort else { return ([], false) }
            switch outline.form.id {
            case .pack, .run: return ([project.app], false)
            case .log: return ([project.capsule], false)
            case .restore: return ([project.app], false)
            case .diff: return (words.isEmpty ? [project.capsule, project.app] : [project.app], false)
            case .drop: return ([project.app], true)
            case .undo:
                guard let undo = project.keptUndo(on: process), isFile(undo.document.bytes) else {
                    throw CapsuleError(
                        .notFound, "nothing to undo: no change of the app's container is kept",
                        hint: "in a project, 'restore', 'apply' and 'drop' of 'app:' keep the last change")
                }
                return ([undo.document.bytes, project.app], false)
            default: return ([], false)
            }
        }

        /// Returns the flags that the project sets and the line does not.
        private func flags(_ project: Project, _ line: [[UInt8]]) throws(CapsuleError) -> [[UInt8]] {
            var flags: [[UInt8]] = []
            func add(_ name: String, _ value: [UInt8]? = nil) { flags += [Array(name.utf8)] + (value.map { [$0] } ?? []) }
            if !project.takesGroups, !outline.has(.noGroups), [.pack, .restore, .apply, .diff, .run].contains(outline.form.id) {
                add("--no-groups")
            }
            if project.takesKeychain, !outline.has(.keychain), isOfApp(project, line),
                [.pack, .restore, .undo].contains(outline.form.id)
            {
                add("--keychain")
            }
            switch outline.form.id {
            case .pack:
                guard !outline.has(.output), isOfApp(project, line) else { break }
                if project.hasRemoteCapsule {
                    throw CapsuleError(
                        .usage, "the project's capsule is an address, which is only read", path: HostPath(project.capsule),
                        hint: "name the output with '-o'")
                }
                if !outline.has(.append) { add("--append") }
                add("-o", project.capsule)
                if let drop = project.drop, !outline.has(.drop) { add("--drop", Array(drop.utf8)) }
            case .restore:
                guard isOfApp(project, line) else { break }
                if let drop = project.drop, !outline.has(.drop) { add("--drop", Array(drop.utf8)) }
                if simctl(project) { add("--simctl") }
            case .apply, .drop, .undo:
                if isOfApp(project, line), simctl(project) { add("--simctl") }
            case .diff:
                if let rules = project.rules, !outline.has(.rules) { add("--rules", rules) }
            case .run:
                if outline.has(.from), isOfApp(project, line) {
                    if let drop = project.drop, !outline.has(.drop) { add("--drop", Array(drop.utf8)) }
                    if simctl(project) { add("--simctl") }
                }
                if let rules = project.rules, !outline.has(.rules) { add("--rules", rules) }
                let judges = outline.has(.expect) || outline.has(.expectUpdate) || outline.has(.expectWrite)
                if let expectation = project.expectation, !judges { add("--expect", expectation) }
            default: break
            }
            return flags
        }

        private func simctl(_ project: Project) -> Bool {
            project.usesSimctl && !outline.has(.simctl) && !outline.has(.dryRun) && !outline.has(.check)
        }

        /// True if the line is about the app's live container.
        private func isOfApp(_ project: Project, _ line: [[UInt8]]) -> Bool {
            isShort || outline.positionals.contains { line[$0] == project.app }
        }
    }
}

extension Project {
    func keptUndo(on process: HostProcess) -> KeptUndo? {
        keptUndo(cacheHome: process.environment("XDG_CACHE_HOME"), home: process.environment("HOME"))
    }
}
