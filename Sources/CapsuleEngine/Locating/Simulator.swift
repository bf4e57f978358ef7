import CapsuleCore
import CapsulePropertyList

/// A simulator, as its `device.plist` describes it.
public struct Simulator: Hashable, Sendable {
    /// What a simulator is doing, or was when its `device.plist` was last written.
    public enum State: Hashable, Sendable {
        /// One of the two states that last.
        case shutDown, booted
        /// On its way from one to the other, or anything else.
        case other

        /// The word for it, in reports.
        public var word: String {
            switch self {
            case .shutDown: "shut down"
            case .booted: "booted"
            case .other: "neither"
            }
        }
    }

    /// Its identifier: the name of its directory.
    public let udid: String
    /// What people call it: `iPhone 16`. It need not be the only one of that name.
    public let name: String
    /// The identifier of what it runs: `com.apple.CoreSimulator.SimRuntime.iOS-18-2`; nil where that is not said.
    public let runtime: String?
    /// What it is doing.
    public let state: State

    /// Reads a `device.plist`; nil for what is none.
    init?(udid: String, document: [UInt8]) {
        guard let list = try? PlistDocument.read(document, accepting: PlistFormat.xmlOrBinary).value.dictionary,
            let name = list["name"]?.string?.string, !name.isEmpty
        else { return nil }
        self.udid = udid
        self.name = name
        runtime = list["runtime"]?.string?.string
        state =
            switch list["state"]?.integer?.int64 {
            case 1?: .shutDown
            case 3?: .booted
            default: .other
            }
    }

    /// What it runs, as people say it: `iOS 18.2`; the identifier, if it has another form.
    public var runtimeName: String? {
        guard let runtime, let last = runtime.split(separator: ".").last else { return nil }
        let parts = last.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count > 1, parts.dropFirst().allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isNumber) }) else { return runtime }
        return "\(parts[0]) \(parts.dropFirst().joined(separator: "."))"
    }

    /// `iPhone 16 (UDID, iOS 18.2, booted)`
    public var description: String {
        "\(name) (\(([udid] + [runtimeName, state.word].compactMap { $0 }).joined(separator: ", ")))"
    }
}
