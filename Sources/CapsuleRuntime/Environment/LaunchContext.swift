public import Foundation

/// The way the app was launched: by a person, or by tests, a preview or a screenshot lane.
///
///     let context = LaunchContext.current
///     if context.isUITest || context.isSnapshot { try AppDataSeed(named: "UITests").install(policy: .always) }
///     LaunchContext.unless(.tests, .previews) { Analytics.start() }
public struct LaunchContext: Hashable, Sendable {
    /// A way to launch an app.
    public enum Mode: Hashable, Sendable, CaseIterable {
        /// The app hosts unit tests.
        case tests
        /// A UI test drives the app.
        case uiTests
        /// Xcode shows a SwiftUI preview.
        case previews
        /// fastlane takes screenshots.
        case snapshots
    }

    /// The launch argument of UI tests: `app.launchArguments.append("--UITest")`.
    public static let uiTestArgument = "--UITest"

    /// The modes that apply; there may be more than one.
    public let modes: Set<Mode>

    /// Creates a context with these modes, independent of the process.
    public init(modes: Set<Mode>) {
        self.modes = modes
    }

    /// Creates a context from a process's environment and arguments, in any build.
    ///
    /// - Parameters:
    ///   - environment: the process's variables.
    ///   - arguments: its arguments, the program's name first.
    ///   - isSet: returns true if a default has a true value. fastlane's `FASTLANE_SNAPSHOT` is the launch argument `-FASTLANE_SNAPSHOT
    ///     YES`, which is read through UserDefaults; it is not an environment variable.
    public init(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        arguments: [String] = ProcessInfo.processInfo.arguments,
        isSet: (String) -> Bool = { UserDefaults.standard.bool(forKey: $0) }
    ) {
        var modes: Set<Mode> = []
        if environment["XCTestConfigurationFilePath"] != nil { modes.insert(.tests) }
        if arguments.dropFirst().contains(Self.uiTestArgument) { modes.insert(.uiTests) }
        if environment["XCODE_RUNNING_FOR_PREVIEWS"] == "1" { modes.insert(.previews) }
        if isSet("FASTLANE_SNAPSHOT") { modes.insert(.snapshots) }
        self.init(modes: modes)
    }

    /// The context of this process. It has no modes in a build without DEBUG, so that users never get an app under test.
    public static let current = LaunchContext.inAnyBuild.limited(toDebug: AppEnvironment.isDebugBuild)

    /// The context of this process, also in builds without DEBUG.
    public static let inAnyBuild = LaunchContext()

    package func limited(toDebug isDebug: Bool) -> LaunchContext { isDebug ? self : LaunchContext(modes: []) }

    /// True if the app hosts unit tests (`XCTestConfigurationFilePath`). An app under UI test does not have this variable.
    public var isRunningTests: Bool { modes.contains(.tests) }

    /// True if a UI test drives the app (`--UITest`).
    public var isUITest: Bool { modes.contains(.uiTests) }

    /// True if Xcode shows a preview (`XCODE_RUNNING_FOR_PREVIEWS`).
    public var isPreview: Bool { modes.contains(.previews) }

    /// True if fastlane takes screenshots (`FASTLANE_SNAPSHOT`).
    public var isSnapshot: Bool { modes.contains(.snapshots) }

    /// Calls `body` unless one of the modes applies.
    ///
    /// - Returns: the result of `body`; nil if it was not called.
    @discardableResult
    public func unless<Outcome, Failure: Error>(_ modes: Mode..., perform body: () throws(Failure) -> Outcome) throws(Failure)
        -> Outcome?
    {
        self.modes.isDisjoint(with: modes) ? try body() : nil
    }

    /// Calls `body` unless one of the modes applies to this process: for expensive setup that tests and previews do not need.
    ///
    /// - Returns: the result of `body`; nil if it was not called.
    @discardableResult
    public static func unless<Outcome, Failure: Error>(
        _ modes: Mode..., perform body: () throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome? {
        current.modes.isDisjoint(with: modes) ? try body() : nil
    }
}

/// A service that is created once, at its first use, from any thread.
///
///     let analytics = Lazily { Analytics(key: key) }
///     …
///     analytics.value.log("launched")
public final class Lazily<Value: Sendable>: Sendable {
    private let state: State

    /// Creates the holder.
    ///
    /// - Parameter make: creates the service; called once, at the first use.
    public init(_ make: @escaping @Sendable () -> Value) {
        state = State(make)
    }

    /// The service, created now if it does not exist yet.
    public var value: Value { state.made }

    /// The service if it was used before: for flushing or closing something that may never have been opened.
    public var valueIfMade: Value? { state.madeAlready }

    /// The state of the holder. The value is accessed only under the lock.
    private final class State: @unchecked Sendable {
        // Recursive: a service that uses itself while it is created fails like any endless recursion, instead of hanging.
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
