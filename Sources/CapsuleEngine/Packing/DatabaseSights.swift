/// What was seen of databases before they were packed, by stream position: the planner notes it, the taker asks.
final class DatabaseSights: @unchecked Sendable {
    private let monitor = Monitor()
    private var sights: [Int: DatabaseWatch.Sight?] = [:]

    func hasLooked(at position: Int) -> Bool {
        monitor.locked { sights.keys.contains(position) }
    }

    /// - Parameter sight: nil for what is no database after all.
    func note(_ sight: DatabaseWatch.Sight?, at position: Int) {
        monitor.locked { sights[position] = .some(sight) }
    }

    func sight(at position: Int) -> DatabaseWatch.Sight? {
        monitor.locked { sights[position] ?? nil }
    }

    func forget(from position: Int) {
        monitor.locked { sights = sights.filter { $0.key < position } }
    }
}
