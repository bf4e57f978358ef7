import CapsuleArchive
import CapsuleCore
import CapsuleSystem
import CapsulePropertyList

/// What an output may take the place of: what `--force` and `--force=all` allow.
public enum Replacement: Sendable, Hashable {
    /// Nothing. A report may still take the place of one of its form that Capsule wrote.
    case nothing
    /// Files that can be made again: neither a capsule of several versions nor a file of conflicts that somebody resolved.
    case ordinary
    /// Any file and any directory.
    case everything
}

/// What an output is: what it may take the place of depends on it.
public enum OutputKind: Sendable, Hashable {
    /// A report for people or for CI, which each run makes again.
    case report(ReportForm)
    /// Any other file, such as a capsule.
    case file
    /// A directory.
    case directory
}

/// The forms of a report.
public enum ReportForm: Sendable, Hashable {
    /// An HTML page.
    case page
    /// A JUnit test suite.
    case testSuite
}

/// What is lost where an output takes the place of a file, judged by what the file holds.
enum ReplacedFile {
    /// A report that Capsule wrote.
    case report(ReportForm)
    /// A capsule of so many versions; 0 for one that is damaged.
    case capsule(versions: Int)
    /// Conflicts of a merge, of which somebody decided at least one.
    case decisions
    /// What can't be read: nobody knows what would be lost.
    case unknown
    /// Anything else.
    case other

    /// Looks into the plain file at `path`.
    init(_ path: HostPath) {
        self = .unknown
        guard let file = try? CapsuleFile(opening: path),
            let start = try? file.read(at: 0, count: Int(min(file.length, UInt64(Self.headLength))))
        else { return }
        self = .other
        if let form = ReportMark.form(of: start) {
            self = .report(form)
        } else if ComparedKind.isArchive(start) {
            if let versions = Self.versions(of: file) { self = .capsule(versions: versions) }
        } else if file.length <= Self.longestConflicts, let bytes = try? file.read(at: 0, count: Int(file.length)),
            Self.hasDecisions(bytes)
        {
            self = .decisions
        }
    }

    /// A report says what made it within so many bytes.
    private static let headLength = 4096
    /// No longer file is looked into for conflicts.
    private static let longestConflicts: UInt64 = 1 << 26

    /// Whether a file of conflicts has a `Take`. Of one that a typing error made unreadable the words alone are looked at.
    private static func hasDecisions(_ bytes: [UInt8]) -> Bool {
        // In UTF-16 and UTF-32 each letter has zeros beside it.
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

    /// - Returns: nil for a file that is not a capsule.
    private static func versions(of file: CapsuleFile) -> Int? {
        do throws(ArchiveError) {
            let capsule = try CapsuleReader(file)
            // More versions may be in a tail that can't be read.
            if case .damaged = capsule.tail { return 0 }
            return try capsule.footers().count
        } catch {
            return error.code == .notCapsule ? nil : 0
        }
    }

    /// The reason that `--force` is not enough to replace the file; nil if it is enough.
    var loss: String? {
        switch self {
        case .report, .other: nil
        case .decisions: "has resolved conflicts"
        case .unknown: "already exists and can't be read"
        case .capsule(versions: 0): "is a damaged capsule"
        case .capsule(let versions): versions > 1 ? "is a capsule of \(versions) versions" : nil
        }
    }
}

/// What tells a report that Capsule wrote from any other page or list of tests.
public enum ReportMark {
    /// The value of `generator` in the head of an HTML page, followed by the version.
    public static let generator = "capsule "
    /// The name of a test suite in a JUnit report.
    public static let suite = "capsule diff"

    /// What every page begins with.
    public static let pageStart: StaticString = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
    /// What every JUnit report begins with: no other suite is in the file.
    public static let suiteStart = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"\(suite)\""

    /// What a file with these first bytes is, if Capsule wrote it. A file that only quotes a report is none.
    static func form(of start: [UInt8]) -> ReportForm? {
        if start.starts(with: suiteStart.utf8) { return .testSuite }
        guard start.starts(with: pageStart.description.utf8),
            let mark = start.firstRange(of: Array("<meta name=\"generator\" content=\"\(generator)".utf8)),
            let title = start.firstRange(of: Array("<title>".utf8)), mark.lowerBound < title.lowerBound
        else { return nil }
        return .page
    }
}
