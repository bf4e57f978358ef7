import CapsuleCore
import CapsuleEngine

extension TextReporter {
    func pushed(_ outcome: Pusher.Outcome) -> [UInt8] {
        let state =
            outcome.isUnchanged
            ? "version \(outcome.version) is already there"
            : "version \(outcome.version), \(Quantity.bytes(outcome.sent)) sent of \(Quantity.bytes(outcome.length))"
        return name(Array(outcome.pinnedAddress.utf8)) + text(": \(state)\n")
    }

    func pulled(_ outcome: Puller.Outcome, from argument: [UInt8]) -> [UInt8] {
        let state: String
        if outcome.isUnchanged {
            state = "version \(outcome.version) is already there"
        } else {
            let added =
                switch outcome.added {
                case 0: "labels"
                case 1: "version \(outcome.version)"
                default: "\(outcome.added) versions, the last is \(outcome.version)"
                }
            state = "\(added), \(Quantity.bytes(outcome.fetched)) fetched of \(Quantity.bytes(outcome.length))"
        }
        return name(outcome.file.bytes) + text(": \(state)\n")
    }

    func tagged(_ tags: [String], at argument: [UInt8]) -> [UInt8] { text(tags.map { $0 + "\n" }.joined()) }
}
