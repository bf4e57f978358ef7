import CapsuleCore

/// Compares contents of one kind.
protocol ContentHandler: Sendable {
    /// Compares two contents that seem to be of the kind.
    ///
    /// - Throws: ``HandlerFailure`` for what is not of the kind after all.
    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(HandlerFailure) -> ContentFinding
}

/// Why a handler could not compare two contents.
enum HandlerFailure: Error {
    /// One side is not what it seemed to be: the next handler is tried.
    case unfit(HandlerFallback.Side, reason: String)
    /// The user asked to stop, or a side can't be read at all.
    case stopped(CapsuleError)

    init(_ error: CapsuleError, _ side: HandlerFallback.Side) {
        self = error.code == .interrupted ? .stopped(error) : .unfit(side, reason: error.message)
    }

    /// Both contents as a whole.
    static func wholes(
        _ old: ComparedContent, _ new: ComparedContent
    ) throws(HandlerFailure) -> (old: [UInt8], new: [UInt8]) {
        (try whole(old, .a), try whole(new, .b))
    }

    private static func whole(_ content: ComparedContent, _ side: HandlerFallback.Side) throws(HandlerFailure) -> [UInt8] {
        do throws(CapsuleError) {
            if let all = try content.all() { return all }
        } catch {
            throw HandlerFailure(error, side)
        }
        throw .unfit(side, reason: "larger than \(ComparedContent.longest >> 20) MiB")
    }
}
