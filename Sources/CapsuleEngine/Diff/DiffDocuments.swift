public import CapsuleCore
import CapsulePropertyList
import Synchronization

/// The files that say how a diff is judged.
public enum DiffDocuments {
    /// Rules about noise; those that are built in stand before them.
    ///
    /// - Throws: with the place for what is no such file.
    public static func rules(_ path: HostPath) throws(CapsuleError) -> NoiseRules {
        let file = try PlistFile(path)
        try file.refuseDuplicateKeys()
        do throws(OverlayError) {
            return try NoiseRules(file.document.value)
        } catch {
            throw CapsuleError(error, inDocument: file)
        }
    }
}

/// Which of a user's rules have decided about a change, noted by all threads that compare.
public final class RuleUse: Sendable {
    private final class Mark: Sendable {
        let isSet = Atomic<Bool>(false)

        /// Written once: after that the threads only read.
        func set() {
            if !isSet.load(ordering: .relaxed) { isSet.store(true, ordering: .relaxed) }
        }
    }

    private let marks: [Mark]
    /// The rules, which note their use here.
    public let rules: NoiseRules

    /// No rule has decided yet.
    public init(of rules: NoiseRules) {
        let marks = rules.userRules.map { _ in Mark() }
        self.marks = marks
        var noting = rules
        noting.onUse = { marks[$0].set() }
        self.rules = noting
    }

    /// The user's rules that decide about no change of a comparison: nothing matches them, or a later rule matches too.
    public func unused(in diff: ContainerDiff) -> [UnusedRule] {
        let isInAppData = diff.entries.contains { ContainerNames.insideAppData($0.path.bytes) != nil }
        return zip(rules.userRules, marks).enumerated().compactMap { index, rule in
            rule.1.isSet.load(ordering: .relaxed) ? nil : UnusedRule(rule.0, number: index + 1, isInAppData: isInAppData)
        }
    }
}

/// An expectation with the file that it is in.
public struct ExpectationFile: Sendable {
    /// What a run is expected to change.
    public let expectation: Expectation
    private let file: PlistFile

    /// Its name in messages.
    public var path: HostPath { file.path }

    /// - Throws: with the place for what is no such file.
    public init(_ path: HostPath) throws(CapsuleError) {
        file = try PlistFile(path)
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

    /// Brings the file up to date with a comparison. Only the bytes of what changes are rewritten.
    ///
    /// - Throws: for a comparison that is not complete, or a file that can't be written. The file is unchanged then.
    public func update(
        with diff: ContainerDiff
    ) throws(CapsuleError) -> (update: ExpectationUpdate, expectation: Expectation) {
        let update: ExpectationUpdate
        do throws(OverlayError) {
            update = try ExpectationUpdate(file.document.value, expectation, diff)
        } catch {
            throw CapsuleError(error.message, path: file.path, hint: error.hint)
        }
        let updated = try Self.expectation(update.document, file)
        _ = try file.write(update.document, to: .inPlace)
        return (update, updated)
    }
}
