import CapsulePropertyList

/// A fuzzing round: it processes arbitrary bytes and checks properties that must hold for all of them.
public enum FuzzRound: String, CaseIterable, Sendable {
    case xml, binary, json, openstep, overlay, rules, expectation, merge, text, cookies, content, http, request, capsule, archive

    /// True if the round reads files. Such a round is far slower than one in memory.
    public var usesFiles: Bool { self == .capsule || self == .archive }

    /// The longest input that is worth changing, in bytes: a capsule begins at 2 kB. `Fuzz/run` says the same to libFuzzer.
    public var longestInput: Int { usesFiles ? 8_192 : 2_048 }

    /// Runs the round once.
    ///
    /// - Returns: the first property that does not hold; nil if all hold.
    public func run(_ bytes: [UInt8]) -> String? {
        switch self {
        case .xml: CodecRound(.xml).run(bytes)
        case .binary: CodecRound(.binary).run(bytes)
        case .json: CodecRound(.json).run(bytes)
        case .openstep: CodecRound(.openStep).run(bytes)
        case .overlay: OverlayRound.run(bytes)
        case .rules: MatchesRound.runRules(bytes)
        case .expectation: MatchesRound.runExpectation(bytes)
        case .merge: MergeRound.run(bytes)
        case .text: TextRound.run(bytes)
        case .cookies: CookieRound.run(bytes)
        case .content: ContentRound.run(bytes)
        case .http: HTTPRound.run(bytes)
        case .request: RequestRound.run(bytes)
        case .capsule: CapsuleRound.run(bytes)
        case .archive: ArchiveRound.run(bytes)
        }
    }
}
