import CapsuleCore
import CapsuleEngine
import Foundation
import TestSupport
import Testing

@testable import CapsuleArguments
@testable import CapsuleCommands

/// Checks the declared uses of files for each verb: no output replaces an input, and a verb that declares no output writes nothing.
@Suite struct CommandFilesTests {
    /// A form of a verb, with all arguments that name a file or a directory.
    struct Form: Sendable, CustomTestStringConvertible {
        let command: CommandDefinition
        let form: CommandForm
        let arguments: [Argument]
        var testDescription: String { [command.invocation, form.word].compactMap { $0 }.joined(separator: " ") }

        /// True if the table declares that anything is written.
        var writes: Bool {
            form.id.writesUnasked || arguments.contains { $0.use != .input }
        }
    }

    /// An argument that names a file or a directory.
    struct Argument: Sendable {
        let id: ArgumentID
        let name: String
        let value: ValueForm
        let use: FileUse

        /// The argument as the parser would store it.
        func stored(_ path: String) -> ArgumentValue {
            switch value {
            case .namedDirectory, .namedFile: .named(NamedValue(name: bytes("name"), value: bytes(path)))
            default: .bytes(bytes(path))
            }
        }

        var isDirectory: Bool {
            switch value {
            case .container, .directory, .namedDirectory: true
            default: false
            }
        }
    }

    static let forms = CommandTable.capsule.verbs.flatMap { command in
        command.forms.map { form in
            let positionals = form.positionals.compactMap { positional in
                positional.form.use.map {
                    Argument(id: positional.id, name: positional.name, value: positional.form, use: $0)
                }
            }
            let flags = command.flags.filter(form.takes).compactMap { flag in
                flag.value?.form.use.map {
                    Argument(id: flag.id, name: flag.longSpelling, value: flag.value?.form ?? .text, use: $0)
                }
            }
            return Form(command: command, form: form, arguments: positionals + flags)
        }
    }

    /// Each output at the path of each input and of each other output, above it and in it.
    @Test(arguments: forms) func noOutputTakesThePlaceOfAnything(form: Form) throws {
        let directory = try TemporaryDirectory()
        var places: [ArgumentID: String] = [:]
        for (number, argument) in form.arguments.enumerated() {
            try (["inner/f": .file("\(number)")] as TreeLiteral).make(at: directory["d\(number)"])
            places[argument.id] = directory["d\(number)" + (argument.isDirectory ? "" : "/inner/f")]
        }
        for output in form.arguments {
            for other in form.arguments where other.id != output.id {
                for path in try Self.conflicting(output, other, at: places[other.id] ?? "", in: directory) {
                    var stored = places.compactMapValues { _ in [ArgumentValue]?.none }
                    stored[output.id] = [output.stored(path)]
                    stored[other.id] = [other.stored(places[other.id] ?? "")]
                    for force in [[], [ArgumentValue.text("all")]] {
                        stored[Flag.force.id] = force.isEmpty ? nil : force
                        let command = ParsedCommand(definition: form.command, form: form.form, arguments: stored)
                        let error = Self.failure { () throws(CapsuleError) in try CommandFiles(command).check() }
                        #expect(error?.code == .usage, "\(output.name) as \(path), \(other.name)")
                        let text = "\(error?.path ?? HostPath("")) \(error?.message ?? "")"
                        #expect(text.contains(places[other.id] ?? "") && text.contains(path), "\(text)")
                    }
                }
            }
        }
    }

    /// The paths that an argument must not have because of another one.
    private static func conflicting(
        _ output: Argument, _ other: Argument, at place: String, in directory: TemporaryDirectory
    ) throws -> [String] {
        switch (output.use, other.use) {
        case (.output, .results), (.results, .results), (.results, .target), (.input, _): return []
        case (.target, .input): return other.isDirectory == output.isDirectory ? [place] : []
        case (.target, _): return []
        case (.results, .output): return []
        case (.results, .input): return other.isDirectory ? [place, place + "/inner", place + "/new/er"] : []
        case (.output, .output): return [place]
        case (.output, .input), (.output, .target):
            let link = directory["link\(place.hashValue)"]
            if (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == nil {
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place)
            }
            let above = (place as NSString).deletingLastPathComponent
            return [place, link, above, above + "/../" + (above as NSString).lastPathComponent]
                + (other.isDirectory ? [place + "/new", place + "/inner/new"] : [])
        }
    }

    private static func failure(_ body: () throws(CapsuleError) -> Void) -> CapsuleError? {
        do throws(CapsuleError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    /// A call of each form that does as much as possible. A new form needs one here.
    private static func line(for form: CommandForm.ID) -> String {
        switch form {
        case .pack: "pack t"
        case .show: "show c.capsule --html page.html"
        case .grep: "grep h c.capsule"
        case .watch: "watch t --until new --timeout 0.1"
        case .serve: "serve -- true"
        case .redact: "redact t -o r.capsule"
        case .info: "info c.capsule"
        case .ls: "ls -l t"
        case .du: "du --by kind t"
        case .cat: "cat c.capsule h"
        case .unpack: "unpack c.capsule --as zip"
        case .verify: "verify --strict c.capsule"
        case .sign: "sign c.capsule --key key"
        case .log: "log c.capsule"
        case .label: "label c.capsule x"
        case .push: "push c.capsule oci:layout:other"
        case .pull: "pull oci:layout:main"
        case .tags: "tags oci:layout"
        case .repair: "repair torn.capsule"
        case .compact: "compact c.capsule --keep latest"
        case .diff: "diff t u --exit-zero --html r.html --overlay d.capsule --learn l.plist --expect-write e.plist"
        case .apply: "apply o.plist p.plist"
        case .restore: "restore c.capsule t"
        case .undo: "undo run.plist p.plist"
        case .drop: "drop t caches"
        case .run: "run t -o r.capsule -- true"
        case .recover: "recover t"
        case .merge: "merge p.plist p.plist q.plist -o m.plist"
        case .overlayCheck: "overlay check o.plist"
        case .overlayShow: "overlay show o.plist"
        case .overlayCompose: "overlay compose o.plist -o x.plist"
        case .overlayInvert: "overlay invert run.plist -o x.plist"
        case .overlayIdentities: "overlay identities"
        case .plistLint: "plist lint p.plist"
        case .plistGet: "plist get p.plist /a"
        case .plistSet: "plist set p.plist /a --integer 7"
        case .plistAdd: "plist add p.plist /b --integer 7"
        case .plistAppend: "plist append p.plist /c --integer 7 --create-parents"
        case .plistRemove: "plist remove p.plist /a"
        case .plistConvert: "plist convert binary p.plist"
        case .plistPrint: "plist print p.plist"
        case .gitInstall: "git install"
        case .gitUninstall: "git uninstall"
        case .gitStatus: "git status"
        case .gitTextconv: "git textconv p.plist"
        case .gitMergeDriver: "git merge-driver p.plist p2.plist q.plist 7 p.plist"
        case .`init`: "init t"
        case .locate: "locate com.example --devices ."
        case .generateMan: "generate man man"
        case .generateCompletions: "generate completions bash"
        case .help: "help pack"
        }
    }

    /// The forms that have nothing to recover, to find, to delete, to wait for or to serve.
    private static let findNothing: Set<CommandForm.ID> = [.recover, .locate, .drop, .watch, .serve]

    @Test(arguments: forms) func onlyWhatDeclaresItWrites(form: Form) throws {
        let program = try #require(BuiltProgram.path("capsule"), "'swift build' makes the program")
        let directory = try TemporaryDirectory()
        let home = try TemporaryDirectory()
        func list(_ value: Int) -> TreeNode {
            .file(
                #"<?xml version="1.0"?><plist version="1.0"><dict><key>a</key><integer>\#(value)</integer></dict></plist>"#)
        }
        try
            ([
                "t": .directory(), "t/h": .file("1"), "u": .directory(), "u/h": .file("2"), "p.plist": list(1),
                "p2.plist": list(1),
                "q.plist": list(2),
                "o.plist": list(3),
            ] as TreeLiteral).make(at: directory["work"])
        func run(_ line: String) throws -> Program {
            try Program.run(
                program, shellWords(line), in: directory["work"],
                environment: ["HOME": home.path, "GIT_CONFIG_NOSYSTEM": "1", "CAPSULE_JOBS": "2"])
        }
        for line in [
            "pack -q t -o c.capsule", "pack -q u -o c.capsule --append", "pack -q t -o torn.capsule",
            "diff p.plist q.plist --overlay run.plist --exit-zero -q", "push -q c.capsule oci:layout:main",
        ] { #expect(try run(line).status == 0, "\(line)") }
        let torn = directory["work/torn.capsule"]
        try Files.write(try Files.read(torn) + [UInt8](repeating: 0, count: 700), to: torn)
        _ = try Program.run("git", ["init", "-q", "."], in: directory["work"], environment: ["HOME": home.path])
        if form.form.id == .gitUninstall { _ = try run("git install") }
        if form.form.id == .sign {
            _ = try Program.run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", "key"], in: directory["work"])
        }
        let before = try Self.state(of: directory["work"])
        let outcome = try run(Self.line(for: form.form.id))
        #expect(outcome.status == 0 || Self.findNothing.contains(form.form.id), "\(outcome.errors)")
        let isChanged = try Self.state(of: directory["work"]) != before
        #expect(isChanged == (form.writes && !Self.findNothing.contains(form.form.id)), "\(outcome.errors)")
    }

    /// Returns the contents of all files.
    private static func state(of directory: String) throws -> [String: Data?] {
        var state: [String: Data?] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            state[name] = FileManager.default.contents(atPath: directory + "/" + name)
        }
        return state
    }
}
