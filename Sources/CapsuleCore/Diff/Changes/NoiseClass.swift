/// A kind of change that runs make by themselves (docs/diff.md, section 4).
public struct NoiseClass: RawRepresentable, Hashable, Sendable {
    /// As rules and counts name it.
    public let rawValue: String

    /// Takes any word: rules of a user's bring classes of their own.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// What rules call a change that is never noise.
    public static let signal = NoiseClass(rawValue: "signal")
    /// iOS's cached scenes, which it makes anew.
    public static let sceneSessions = NoiseClass(rawValue: "scene-sessions")
    /// Launch images, which iOS makes anew.
    public static let splashboard = NoiseClass(rawValue: "splashboard")
    /// What apps can fetch or compute again.
    public static let caches = NoiseClass(rawValue: "caches")
    /// What the system keeps for itself in a container.
    public static let system = NoiseClass(rawValue: "system")
    /// Temporary files.
    public static let tmp = NoiseClass(rawValue: "tmp")
    /// How SQLite stores what is the same: its log's frames, its shared memory, its free pages.
    public static let sqlite = NoiseClass(rawValue: "sqlite")
    /// Core Data's own counters and history.
    public static let coreData = NoiseClass(rawValue: "core-data")
    /// The same cookies in another order.
    public static let cookiesOrder = NoiseClass(rawValue: "cookies-order")
}
