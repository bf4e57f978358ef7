/// How much may be spent on one database.
package struct WorkLimits: Hashable, Sendable {
    /// Time on the clock; nil for no limit.
    package var time: Duration?
    /// Steps of SQLite's virtual machine; nil for no limit.
    package var steps: UInt64?

    /// Limits of one database's work.
    package init(time: Duration? = .seconds(60), steps: UInt64? = nil) {
        self.time = time
        self.steps = steps
    }
}
