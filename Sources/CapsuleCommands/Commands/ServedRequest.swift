import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

/// A request to `capsule serve`, as the command line that answers it. It names versions, labels and files of the project,
/// and nothing else.
struct ServedRequest {
    enum Action: String, CaseIterable {
        case restore, pack, diff, expect

        /// - Parameter target: `/v1/restore`
        init?(target: String) {
            guard let action = Self.allCases.first(where: { target == "/v1/\($0.rawValue)" }) else { return nil }
            self = action
        }

        fileprivate var members: [String] {
            switch self {
            case .restore, .diff: ["version"]
            case .pack: ["label", "moveLabel"]
            case .expect: ["version", "expectation", "page"]
            }
        }
    }

    private static let depth = 8

    let action: Action
    /// Without the name of a page.
    let arguments: [[UInt8]]
    /// The version that is restored or compared with; empty for the newest.
    let version: String
    /// The simulator that the test runs on; nil if the request names none.
    let device: String?
    let wantsPage: Bool

    /// - Parameter restored: returns the version that a simulator's app was made equal to, with which it is compared by default.
    init(
        _ action: Action, _ body: [UInt8], of project: Project, restored: (_ device: String?) -> String?
    ) throws(CapsuleError) {
        self.action = action
        let reader = try MemberReader(body, known: action.members + ["device"], depth: Self.depth)
        device = try reader.device()
        wantsPage = try reader.boolean("page")
        version = try reader.version(isNeeded: action == .restore) ?? restored(device) ?? ""
        var words: [[UInt8]]
        switch action {
        case .restore: words = ["restore", "@\(version)"].map { Array($0.utf8) }
        case .pack:
            words = ["pack", "--label", try reader.label()].map { Array($0.utf8) }
            if try reader.boolean("moveLabel") { words.append(Array("--move-label".utf8)) }
        case .diff, .expect: words = ["diff", "@\(version)", "app:"].map { Array($0.utf8) }
        }
        if action == .expect {
            let file = try reader.text("expectation").map { (name) throws(CapsuleError) in try project.file(named: name) }
            guard let file = file ?? project.expectation else {
                throw CapsuleError(
                    .usage, "'expectation' is missing, and the project has none",
                    hint: "write {\"expectation\":\"run.plist\"}, or Expectation in .capsule.plist")
            }
            words += [Array("--expect".utf8), file]
        }
        arguments = words + [Array("--json".utf8)]
    }
}

/// Reads the members of a request's body, an object in JSON.
private struct MemberReader {
    private let members: PlistDictionary

    init(_ body: [UInt8], known: [String], depth: Int) throws(CapsuleError) {
        let limits = PlistLimits(depth: depth, documentBytes: RequestReader.longestBody)
        let value: PlistValue
        do throws(PlistError) {
            value = body.isEmpty ? .dictionary([:]) : try PlistReader.read(body, accepting: [.json], limits: limits).value
        } catch {
            throw CapsuleError(.usage, "the body is not JSON: \(error)")
        }
        guard let members = value.dictionary else {
            throw CapsuleError(.usage, "the body is \(value.typeNameWithArticle), not an object")
        }
        for (key, _) in members where !known.contains(key.string) {
            throw CapsuleError(
                .usage, "the body has the unknown member '\(key.string)'",
                hint: "the members are \(known.joined(separator: ", "))")
        }
        self.members = members
    }

    func text(_ key: String) throws(CapsuleError) -> String? {
        guard let value = members[PlistString(key)] else { return nil }
        guard let text = value.string?.string else { throw CapsuleError(.usage, "'\(key)' is not a string") }
        return text
    }

    func boolean(_ key: String) throws(CapsuleError) -> Bool {
        guard let value = members[PlistString(key)] else { return false }
        guard case .boolean(let isOn) = value else { throw CapsuleError(.usage, "'\(key)' is not a boolean") }
        return isOn
    }

    func version(isNeeded: Bool) throws(CapsuleError) -> String? {
        guard let text = try text("version") else {
            if isNeeded { throw CapsuleError(.usage, "'version' is missing", hint: "write {\"version\":\"clean\"}") }
            return nil
        }
        guard VersionSelector(text) != nil else {
            throw CapsuleError(
                .usage, "'version' is '\(text)', which is not a version",
                hint: "a version is a label, a number, ~N, first or latest")
        }
        return text
    }

    func label() throws(CapsuleError) -> String {
        guard let text = try text("label") else {
            throw CapsuleError(.usage, "'label' is missing", hint: "write {\"label\":\"clean\"}")
        }
        guard VersionLabel(text) != nil else {
            throw CapsuleError(
                .usage, "'label' is '\(text)', which is not a label",
                hint: "a label has letters, digits, '.', '_' and '-', and is not a number, first or latest")
        }
        return text
    }

    func device() throws(CapsuleError) -> String? {
        guard let text = try text("device") else { return nil }
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy({ Self.ofUDIDs.contains($0) }) else {
            throw CapsuleError(
                .usage, "'device' is not the UDID of a simulator", hint: "send the value of SIMULATOR_UDID, or leave it out")
        }
        return text
    }

    private static let ofUDIDs = Array("0123456789ABCDEFabcdef-".utf8)
}
