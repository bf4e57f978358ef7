package import CapsuleCore
import CapsulePropertyList
package import CapsuleRules
import Synchronization

/// The files that control how a diff is judged.
package enum DiffDocuments {
    /// The built-in rules come before them.
    package static func rules(_ path: HostPath) throws(CapsuleError) -> NoiseRules {
        let file = try PlistFile(path)
        try file.refuseDuplicateKeys()
        do throws(OverlayError) {
            return try NoiseRules(file.document.value)
        } catch {
            throw CapsuleError(error, inDocument: file)
        }
    }

    /// Returns the expectation of one change, which allows all others.
    /// - Parameter clause: a clause of `Must` as JSON or another text of a property list; or a pattern of paths.
    package static func expectation(of clause: String) throws(CapsuleError) -> Expectation {
        var value = PlistValue.dictionary(["Path": .string(PlistString(clause))])
        if clause.hasPrefix("{") {
            do throws(PlistError) {
                value = try PlistDocument.read(Array(clause.utf8)).value
            } catch {
                throw CapsuleError(.usage, "the clause can't be read: \(error.message)", hint: error.hint)
            }
        }
        do throws(OverlayError) {
            return try Expectation(
                .dictionary([Expectation.mark: .integer(1), "Must": .array([value]), "Other": .string("allow")]))
        } catch {
            throw CapsuleError(.usage, "the clause is not valid: \(error.message)", hint: error.hint)
        }
    }
}

/// Records which of a user's rules decided about a change. All comparing threads may do so.
package final class RuleUse: Sendable {
    private final class Mark: Sendable {
        let isSet = Atomic<Bool>(false)

        /// Writes only the first time. After that, the threads only read.
        func set() {
            if !isSet.load(ordering: .relaxed) { isSet.store(true, ordering: .relaxed) }
        }
    }

    private let marks: [Mark]
    package let rules: NoiseRules

    package init(of rules: NoiseRules) {
        let marks = rules.userRules.map { _ in Mark() }
        self.marks = marks
        var noting = rules
        noting.onUse = { marks[$0].set() }
        self.rules = noting
    }

    /// Returns the user's rules that decided about no change of a comparison: nothing matches them, or a later rule matches, too.
    package func unused(in diff: ContainerDiff) -> [UnusedRule] {
        let isInAppData = diff.entries.contains { ContainerNames.insideAppData($0.path.bytes) != nil }
        return zip(rules.userRules, marks).enumerated().compactMap { index, rule in
            rule.1.isSet.load(ordering: .relaxed) ? nil : UnusedRule(rule.0, number: index + 1, isInAppData: isInAppData)
        }
    }
}

/// An expectation together with its file.
package struct ExpectationFile: Sendable {
    package let expectation: Expectation
    private let file: PlistFile

    package var path: HostPath { file.path }
    package init(_ path: HostPath) throws(CapsuleError) { try self.init(path, isEdited: false) }

    private init(_ path: HostPath, isEdited: Bool) throws(CapsuleError) {
        file = try PlistFile(path, isEdited: isEdited)
        try file.refuseDuplicateKeys()
        expectation = try Self.expectation(file.document.value, file)
    }

    private static func expectation(_ value: PlistValue, _ file: PlistFile) throws(CapsuleError) -> Expectation {
        do throws(OverlayError) {
            return try Expectation(value)
        } catch {
            throw CapsuleError(error, inDocument: file)
        }
    }

    /// Reads the file again, and updates it to match a comparison. Only the bytes of what changes are rewritten.
    /// - Returns: also warnings about the file.
    /// - Throws: an error if the comparison is not complete, or the file can't be written. The file is then unchanged.
    package func update(
        with diff: ContainerDiff
    ) throws(CapsuleError) -> (update: ExpectationUpdate, expectation: Expectation, warnings: [CapsuleError]) {
        // It was not locked during the comparison, which may have taken long.
        let current = file.isEditable ? try ExpectationFile(path, isEdited: true) : self
        let update: ExpectationUpdate
        do throws(OverlayError) {
            update = try ExpectationUpdate(current.file.document.value, current.expectation, diff)
        } catch {
            throw CapsuleError(error.message, path: path, hint: error.hint)
        }
        let updated = try Self.expectation(update.document, current.file)
        _ = try current.file.write(update.document, to: .inPlace)
        return (update, updated, current.file.warnings)
    }
}
