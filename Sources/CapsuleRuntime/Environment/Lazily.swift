import Foundation

/// Holds a service that is made when it is first used, once, whichever thread asks.
///
///     let analytics = Lazily { Analytics(key: key) }
///     …
///     analytics.value.log("launched")
public final class Lazily<Value: Sendable>: Sendable {
    private let state: State

    /// - Parameter make: is called at the first use, and never again.
    public init(_ make: @escaping @Sendable () -> Value) {
        state = State(make)
    }

    /// The service; made now if it was not.
    public var value: Value { state.made }

    /// The service if anybody has used it: to flush or to close what may never have been opened.
    public var valueIfMade: Value? { state.madeAlready }

    /// The value is only touched under the lock.
    private final class State: @unchecked Sendable {
        // Recursive: a service that asks for itself while it is made fails as any endless recursion does, and does not hang.
        private let lock = NSRecursiveLock()
        private let make: @Sendable () -> Value
        private var value: Value?

        init(_ make: @escaping @Sendable () -> Value) { self.make = make }

        var made: Value {
            lock.lock()
            defer { lock.unlock() }
            if let value { return value }
            let new = make()
            value = new
            return new
        }

        var madeAlready: Value? {
            lock.lock()
            defer { lock.unlock() }
            return value
        }
    }
}
