import TestSupport
import Testing

/// The result of an expectation.
enum Verdict: Sendable {
    case passes
    /// A change that must not be.
    case forbidden
    /// The expectation fails because it can't be judged.
    case unknown
}

extension Session.Outcome {
    /// The verdict of an expectation with one clause of changes that must not be; nil for anything else.
    var verdict: Verdict? {
        switch (status, text.contains("\n! forbidden: ") || text.hasPrefix("! forbidden: "), text.contains("! can't be judged: "))
        {
        case (0, false, false): .passes
        case (1, true, _): .forbidden
        case (1, false, true): .unknown
        default: nil
        }
    }
}

extension Session {
    /// Compares the directories `a` and `b` of a case, which must not have the change of a clause.
    func guarded(_ name: String, against clause: String, _ options: String = "") throws -> Outcome {
        try judge(#""MustNot": [\#(clause)]"#, "\(name)/a \(name)/b \(options)")
    }
}

extension Session {
    /// Expects that an expectation that was written of a comparison holds for it.
    func expectWritten(_ sides: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let own = try TemporaryDirectory()
        let written = own["written.json"]
        #expect(try run("capsule diff \(sides) -q --expect-write \(written)").status == 1, sourceLocation: sourceLocation)
        #expect(try run("capsule diff \(sides) --expect \(written)").status == 0, sourceLocation: sourceLocation)
    }
}
