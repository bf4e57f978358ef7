package import CapsuleContainers
package import CapsuleCore
package import CapsuleRules
import CapsuleSystem

/// Watches a live container, and describes each change of it once it has settled.
package final class ContainerWatch {
    private let container: Container
    private let shape: ContainerShape
    private let differ: ContainerDiffer
    private let watcher: FileWatcher
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var state: KeptState
    private var pending = FileEvents()
    private var settling = Settling()
    private var failures = 0

    /// The longest wait for an event, in milliseconds. A signal that arrives just before a wait does not end it.
    private static let longestWait = 200
    /// The number of times that a state may be unreadable, one after the other, before that is an error: another program may be about to
    /// replace the container.
    private static let mostFailures = 20

    /// Reads the state of the container now, which the first change is compared with.
    package init(_ container: Container, _ options: DiffOptions) throws(CapsuleError) {
        let directory = try container.liveDirectory()
        self.container = container
        differ = ContainerDiffer(options)
        shape = try LiveContainer.shape(of: directory)
        // Watched before it is read, so that nothing is missed in between.
        watcher = try FileWatcher(directory)
        state = try KeptState(of: container, shape: shape, after: nil, options) { _ in true }
        start = clock.now
    }

    /// Waits until a change has settled.
    /// - Parameter timeout: the most time since the watch began; nil for no limit.
    /// - Returns: the difference from the state before; nil at the timeout.
    /// - Throws: `notFound` if the container is deleted or moved.
    package func next(before timeout: Duration? = nil) throws(CapsuleError) -> ContainerDiff? {
        while true {
            try CapsuleError.checkInterruption()
            let now = clock.now - start
            let remaining = settling.remaining(at: now)
            if let remaining, remaining <= .zero {
                if let diff = try settle(at: now) { return diff }
                continue
            }
            if let timeout, now >= timeout { return nil }
            let wait = min(remaining ?? .seconds(1), timeout.map { $0 - now } ?? .seconds(1))
            let events = try watcher.events(within: min(Self.longestWait, Self.milliseconds(wait)))
            if !events.isEmpty { note(events) }
        }
    }

    private func note(_ events: FileEvents) {
        pending.formUnion(events)
        settling.record(at: clock.now - start)
    }

    /// Compares with the state before, which the present one replaces.
    /// - Returns: nil if nothing differs, or if more is written meanwhile.
    private func settle(at now: Duration) throws(CapsuleError) -> ContainerDiff? {
        guard let present = try read() else { return nil }
        let more = try watcher.events(within: 0)
        if !more.isEmpty, !settling.isOverdue(at: now) {
            note(more)
            return nil
        }
        (pending, settling) = (FileEvents(), Settling())
        if !more.isEmpty { note(more) }
        let name = container.argument
        let diff = try differ.compare(state.side, present.side, named: (name, name))
        state = present
        return diff.entries.isEmpty ? nil : diff
    }

    /// Reads the present state; nil if that fails and is tried again.
    private func read() throws(CapsuleError) -> KeptState? {
        do throws(CapsuleError) {
            let changed = pending
            let present = try KeptState(of: container, shape: shape, after: state, differ.options) { changed.mayConcern($0) }
            failures = 0
            return present
        } catch {
            failures += 1
            if error.code == .interrupted { throw error }
            note(try watcher.events(within: 0))
            if failures == Self.mostFailures { throw error }
            return nil
        }
    }

    /// Rounded up, so that a wait does not end too early.
    private static func milliseconds(_ duration: Duration) -> Int {
        let parts = duration.components
        return Int(parts.seconds) * 1_000 + Int(parts.attoseconds / 1_000_000_000_000_000) + 1
    }
}
