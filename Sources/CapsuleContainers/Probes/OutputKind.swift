import CapsuleArchive
import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

/// The kind of an output. What it may replace depends on this.
package enum OutputKind: Sendable, Hashable {
    /// A report for people or for CI, which every run writes again.
    case report(ReportForm)
    case file
    case directory
}

package enum ReportForm: Sendable, Hashable {
    case page
    case testSuite
    case markdown
}

/// The kind of a file that an output would replace, judged by its content. It says what would be lost.
enum ReplacedFile {
    case report(ReportForm)
    /// A capsule with this number of versions; 0 for a damaged one.
    case capsule(versions: Int)
    case decisions
    /// A file that can't be read, so no one knows what would be lost.
    case unknown
    case other

    init(_ path: HostPath) {
        self = .unknown
        guard let file = try? CapsuleFile(opening: path),
            let start = try? file.read(at: 0, count: Int(min(file.length, UInt64(Self.headLength))))
        else { return }
        self = .other
        if let form = ReportMark.form(of: start) {
            self = .report(form)
        } else if InputKind.isArchive(start) {
            if let versions = Self.versions(of: file) { self = .capsule(versions: versions) }
        } else if file.length <= Self.longestConflicts, let bytes = try? file.read(at: 0, count: Int(file.length)),
            Self.hasDecisions(bytes)
        {
            self = .decisions
        }
    }

    private static let headLength = 4096
    private static let longestConflicts: UInt64 = 1 << 26

    /// Returns true if a file of conflicts has a `Take`. In a file that a typing error made unreadable, only the words are searched
    /// for.
    private static func hasDecisions(_ bytes: [UInt8]) -> Bool {
        // In UTF-16 and UTF-32, letters have zero bytes beside them.
        let letters = PlistFormat.sniff(bytes) == .binary ? bytes : bytes.filter { $0 != 0 }
        guard letters.firstRange(of: Array("CapsuleConflicts".utf8)) != nil else { return false }
        guard case .dictionary(let document)? = try? PlistReader.read(bytes).value else {
            return letters.firstRange(of: Array("Take".utf8)) != nil
        }
        guard case .array(let conflicts)? = document["Conflicts"] else { return false }
        return conflicts.contains { conflict in
            guard case .dictionary(let conflict) = conflict else { return false }
            return conflict["Take"] != nil
        }
    }

    /// - Returns: the number of versions, 0 for a damaged capsule; nil for a file that is not a capsule.
    private static func versions(of file: CapsuleFile) -> Int? {
        do throws(CapsuleError) {
            let capsule = try CapsuleReader(file)
            // A tail that can't be read may hold more versions.
            if case .damaged = capsule.tail { return 0 }
            return try capsule.footers().count
        } catch {
            return error.code == .notCapsule ? nil : 0
        }
    }

    /// The reason that nothing replaces the file; nil if `--force` does.
    var loss: String? {
        switch self {
        case .report, .other: nil
        case .decisions: "has resolved conflicts"
        case .unknown: "already exists and can't be read"
        case .capsule(versions: 0): "is a damaged capsule"
        case .capsule(let versions): versions > 1 ? "is a capsule of \(versions) versions" : nil
        }
    }

    var remedy: String {
        switch self {
        case .capsule(versions: 1):
            "'capsule pack --append' adds a version to it; or choose another name, or replace it with '--force'"
        case .capsule(versions: 2...): "'capsule pack --append' adds a version to it; or choose another name"
        default: loss == nil ? "'--force' replaces it" : "choose another name: '--force' does not replace it"
        }
    }
}

/// The marks that distinguish a report by Capsule from any other page or list of tests.
package enum ReportMark {
    package static let generator = "capsule "
    package static let suite = "capsule diff"
    package static let pageStart: StaticString = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
    package static let suiteStart = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"\(suite)\""

    package static let markdownStart = "<!-- \(suite) -->\n"

    /// Returns the form of a report with these first bytes, if Capsule wrote it; nil for any other file, including one that only
    /// quotes a report.
    static func form(of start: [UInt8]) -> ReportForm? {
        if start.starts(with: suiteStart.utf8) { return .testSuite }
        if start.starts(with: markdownStart.utf8) { return .markdown }
        guard start.starts(with: pageStart.description.utf8),
            let mark = start.firstRange(of: Array("<meta name=\"generator\" content=\"\(generator)".utf8)),
            let title = start.firstRange(of: Array("<title>".utf8)), mark.lowerBound < title.lowerBound
        else { return nil }
        return .page
    }
}
