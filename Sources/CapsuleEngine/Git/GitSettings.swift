import CapsuleCore
import CapsuleFileSystem

/// What stands in git's configuration of this program.
struct GitSettings {
    /// One setting.
    struct Setting {
        let key: String
        /// What it is to be.
        let value: [UInt8]
        /// A part that every value of ours has, of other releases too.
        let mark: String

        /// Whether a value was written by this program.
        func isOurs(_ value: [UInt8]) -> Bool {
            let mark = Array(mark.utf8)
            return value.count >= mark.count
                && value.indices.dropLast(mark.count - 1).contains { value[$0...].starts(with: mark) }
        }
    }

    let scope: GitScope
    let all: [Setting]

    init(_ scope: GitScope, _ commands: GitCommandLine) {
        self.scope = scope
        all = [
            Setting(key: "diff.capsule.textconv", value: commands.textconv, mark: " git textconv "),
            Setting(
                key: "merge.capsule.name", value: Array("property lists, key by key (capsule)".utf8), mark: "(capsule)"),
            Setting(key: "merge.capsule.driver", value: commands.driver, mark: " git merge-driver "),
        ]
    }

    /// The values of a key in the scope; mostly one or none.
    func values(of setting: Setting) throws(CapsuleError) -> [[UInt8]] {
        let outcome = try GitProgram.run([
            Array("config".utf8), scope.flag, Array("-z".utf8), Array("--get-all".utf8), Array(setting.key.utf8),
        ])
        switch outcome.status {
        case 0: return outcome.output.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { Array($0) }
        // No such key; nor any file yet.
        case 1: return []
        default: throw GitProgram.failure(of: outcome, to: "read '\(setting.key)'")
        }
    }

    /// - Throws: for a setting that somebody else made.
    func refuseForeign() throws(CapsuleError) {
        for setting in all {
            for value in try values(of: setting) where !setting.isOurs(value) {
                throw CapsuleError(
                    .exists, "'\(setting.key)' is '\(String(decoding: value, as: UTF8.self))', which capsule did not set",
                    hint: "'git config \(String(decoding: scope.flag, as: UTF8.self)) --unset \(setting.key)' removes it")
            }
        }
    }

    /// Makes each setting what it is to be.
    ///
    /// - Returns: whether any was not.
    func set() throws(CapsuleError) -> Bool {
        var isChanged = false
        for setting in all where try values(of: setting) != [setting.value] {
            _ = try GitProgram.answer(
                [Array("config".utf8), scope.flag, Array("--replace-all".utf8), Array(setting.key.utf8), setting.value],
                to: "write its configuration")
            isChanged = true
        }
        return isChanged
    }

    /// Takes our settings away, and leaves what somebody else wrote.
    ///
    /// - Returns: whether there were any.
    func unset() throws(CapsuleError) -> Bool {
        var isChanged = false
        for setting in all {
            let values = try values(of: setting)
            guard !values.isEmpty, values.allSatisfy(setting.isOurs) else { continue }
            _ = try GitProgram.answer(
                [Array("config".utf8), scope.flag, Array("--unset-all".utf8), Array(setting.key.utf8)],
                to: "write its configuration")
            isChanged = true
        }
        return isChanged
    }
}
