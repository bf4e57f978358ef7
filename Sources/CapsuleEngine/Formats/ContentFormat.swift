import CapsuleContainers
package import CapsuleCore
import CapsuleHashing
import CapsuleMerge
package import CapsulePropertyList
import CapsuleRules

/// Everything that Capsule knows of one format of file contents: how it is recognized, read, compared, merged and shown.
///
/// Formats are listed in ``ContentFormats``. A new one is a type of its own, and a line there.
protocol ContentFormat: Sendable {
    associatedtype Value

    /// The word for the format in reports, such as `plist`.
    var word: String { get }
    /// The reason that a content is not of the format, such as `not a property list`.
    var absence: String { get }
    /// True if ``PlistContents`` can read the contents, too, so that they can be compared with a property list in another encoding.
    var isPropertyList: Bool { get }
    /// True if ``tell(_:isNew:_:)`` says what is in a file that only one side has, for rules and guards.
    var holdsValues: Bool { get }
    /// True if ``merge(_:_:_:)`` may give a result.
    var isMergeable: Bool { get }

    /// Returns true if a file that begins like this may be of the format. Its name is not known, and its last line may be cut.
    func isLikely(_ head: ContentHead) -> Bool

    /// Reads a content. No other code reads bytes of the format to compare them.
    /// - Throws: ``ContentFailure`` if the content turns out not to be of the format, or is too long for it.
    func read(_ content: ComparedContent, _ side: HandlerFallback.Side) throws(ContentFailure) -> Value

    /// Compares two contents, whose bytes differ. The judge of the comparison takes what is found.
    /// - Returns: nil if the format does not compare them here, and there is nothing to tell about it.
    func compare(_ old: Value, _ new: Value, _ comparison: ContentComparison) throws(ContentFailure) -> ContentFinding?

    /// Tells a sink all that a content holds, which is the difference from nothing.
    func tell(_ value: Value, isNew: Bool, _ sink: any ChangeSink)

    /// Tells a sink each part of a content by itself, as people look at it: every value, line or cookie, as a difference from
    /// nothing.
    /// - Returns: the word for the format, with those of the formats in it; nil if it has no parts.
    func list(_ value: Value, _ sink: any ChangeSink, depth: Int) throws(ContentFailure) -> String?

    /// Returns the digest of what a content means, however it is stored; nil if only its bytes say it.
    func digest(of value: Value) -> ContentDigest?

    /// Merges what two sides changed.
    /// - Parameter decisions: settles each conflict once, in order. It must be as it was if the result is not `made`.
    /// - Returns: nil if contents of the format are not merged, or these are not of the format after all.
    /// - Throws: for a decision whose value has no place in the result.
    func merge(
        _ files: MergedContents, _ settings: ContentMerging, _ decisions: inout MergeDecisions
    ) throws(CapsuleError) -> ContentMerging.Result?

    /// Returns the text that reports show for a change of a value, in place of its pointer and values; nil for these.
    func line(for change: PlistChange, _ text: (PlistValue) -> String) -> String?
}

extension ContentFormat {
    var isPropertyList: Bool { false }
    var holdsValues: Bool { isPropertyList }
    var isMergeable: Bool { false }

    func tell(_ value: Value, isNew: Bool, _ sink: any ChangeSink) {}
    func list(_ value: Value, _ sink: any ChangeSink, depth: Int) throws(ContentFailure) -> String? { nil }
    func digest(of value: Value) -> ContentDigest? { nil }

    func merge(
        _ files: MergedContents, _ settings: ContentMerging, _ decisions: inout MergeDecisions
    ) throws(CapsuleError) -> ContentMerging.Result? { nil }

    func line(for change: PlistChange, _ text: (PlistValue) -> String) -> String? { nil }
}

extension ContentFormat {
    func compare(
        _ old: ComparedContent, _ new: ComparedContent, _ comparison: ContentComparison
    ) throws(ContentFailure) -> ContentFinding? {
        try compare(try read(old, .a), try read(new, .b), comparison)
    }

    func tell(_ content: ComparedContent, isNew: Bool, _ sink: any ChangeSink) throws(ContentFailure) {
        tell(try read(content, isNew ? .b : .a), isNew: isNew, sink)
    }

    func list(_ content: ComparedContent, _ sink: any ChangeSink, depth: Int) throws(ContentFailure) -> String? {
        try list(try read(content, .b), sink, depth: depth)
    }

    func digest(of content: ComparedContent) throws(ContentFailure) -> ContentDigest? {
        digest(of: try read(content, .b))
    }
}

/// The kind of a file, for reports on space.
package enum FileKind: String, CaseIterable, Sendable {
    case database
    case image
    case propertyList = "property list"
    case cache
    case other
}

/// All formats.
package enum ContentFormats {
    /// The formats in the order in which contents that may have several of them are tried. Every content is bytes.
    static let all: [any ContentFormat] = [
        DatabaseContents(), PlistContents(isJSON: false), StringCatalogContents(), PlistContents(isJSON: true),
        CookieContents(), WrappedContents(isGzip: true), ImageContents(), TextContents(), WrappedContents(isGzip: false),
        BytesContents(),
    ]

    /// Returns the text that reports show for a change in a file in place of its pointer and values; nil for these.
    /// - Parameters:
    ///   - handler: the word of the file's format, with those of the formats around it, such as `gzip/json`.
    ///   - text: formats a value.
    package static func line(
        for change: PlistChange, in handler: String?, _ text: (PlistValue) -> String
    ) -> String? {
        guard let word = handler?.split(separator: "/").last else { return nil }
        return all.first { $0.word == word }?.line(for: change, text)
    }

    /// Returns the formats that a file may have, the most specific first and bytes last.
    static func candidates(_ head: ContentHead) -> [any ContentFormat] { all.filter { $0.isLikely(head) } }

    /// Returns the kind of a file, as its first bytes show it.
    static func kind(of head: ContentHead) -> FileKind {
        switch candidates(head).first {
        case is DatabaseContents: .database
        case is ImageContents: .image
        case let format? where format.isPropertyList: .propertyList
        default: .other
        }
    }

    static func candidates(_ content: ComparedContent) throws(CapsuleError) -> [any ContentFormat] {
        candidates(ContentHead(try content.head(), size: content.size))
    }

    /// Tells a sink each part of a content, by the first format that fits.
    /// - Parameter depth: the number of compressed contents around this one.
    /// - Returns: the word for the format; nil if only the bytes say what is in it.
    static func list(
        _ content: ComparedContent, _ sink: any ChangeSink, depth: Int = 0
    ) throws(CapsuleError) -> String? {
        for format in try candidates(content) {
            do throws(ContentFailure) {
                if let word = try format.list(content, sink, depth: depth) { return word }
            } catch {
                if case .stopped(let error) = error { throw error }
            }
        }
        return nil
    }

    /// Returns the formats that two files can be compared as, in order. JSON and a property list can be compared with each other,
    /// as values.
    static func shared(_ old: [any ContentFormat], _ new: [any ContentFormat]) -> [any ContentFormat] {
        let words = Set(new.map(\.word))
        let shared = old.filter { words.contains($0.word) }
        let arePropertyLists = [old, new].allSatisfy { $0.first?.isPropertyList == true }
        return arePropertyLists && shared.first?.isPropertyList != true ? [PlistContents(isJSON: false)] + shared : shared
    }
}

/// The options for comparing contents.
struct ContentOptions: Sendable {
    /// The number of unchanged lines to keep around changed lines of a text.
    var context = 3
    /// The most lines of a text to keep; nil for all.
    var lines: Int?
    var keepsAllValues = false
    var arrays: [ArrayIdentities.Rule] = []
}

/// The setting of one comparison of contents.
struct ContentComparison {
    let options: ContentOptions
    let judge: EntryJudge
    /// The number of compressed contents around this one.
    let depth: Int
    /// The formats that failed before.
    let fallbacks: [HandlerFallback]
}

/// The reason why contents could not be compared as a format.
enum ContentFailure: Error {
    /// One side is not what it seemed to be. The next format is tried.
    case unfit(HandlerFallback.Side, reason: String)
    /// The user asked to stop, or a side can't be read at all.
    case stopped(CapsuleError)

    init(_ error: CapsuleError, _ side: HandlerFallback.Side) {
        self = error.code == .interrupted ? .stopped(error) : .unfit(side, reason: error.message)
    }
}

extension ComparedContent {
    /// Returns all bytes of a content that is short enough to be in memory.
    func all(_ side: HandlerFallback.Side) throws(ContentFailure) -> [UInt8] {
        do throws(CapsuleError) {
            if let all = try all() { return all }
        } catch {
            throw ContentFailure(error, side)
        }
        throw .unfit(side, reason: "larger than \(Self.longest >> 20) MiB")
    }
}

/// The facts about a comparison of two contents, besides the changes.
struct ContentFinding: Sendable {
    /// The format as which the contents were compared, such as `plist` or `gzip/json`; nil if none could.
    var handler: String?
    /// Both property lists, if an expectation may ask for places in them.
    var documents: [PlistValue] = []
    /// True if both contents are equal in everything that matters for their format, so that nothing is reported.
    var isUnchanged = false

    init(_ handler: String?) {
        self.handler = handler
    }
}
