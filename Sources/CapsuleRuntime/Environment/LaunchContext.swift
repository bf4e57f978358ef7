public import Foundation

/// How the app was launched: by a person, or by tests, a preview, a screenshot lane.
///
///     let context = LaunchContext.current
///     if context.isUITest || context.isSnapshot { try AppDataSeed(named: "UITests").install(policy: .always) }
///     LaunchContext.unless(.tests, .previews) { Analytics.start() }
public struct LaunchContext: Hashable, Sendable {
    /// One way of being launched.
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

    /// The ways that hold; more than one may.
    public let modes: Set<Mode>

    /// A context with these modes, whatever the process is.
    public init(modes: Set<Mode>) {
        self.modes = modes
    }

    /// Reads a process's environment and arguments, in any build.
    ///
    /// - Parameters:
    ///   - environment: the process's variables.
    ///   - arguments: its arguments, the program's name first.
    ///   - isSet: whether a default has a true value. fastlane's `FASTLANE_SNAPSHOT` is a launch argument,
    ///     `-FASTLANE_SNAPSHOT YES`, which UserDefaults answers, and no variable of the environment.
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

    /// This process's; without any mode in a build without DEBUG, so that what a user gets is never an app under test.
    public static let current = LaunchContext.inAnyBuild.limited(toDebug: AppEnvironment.isDebugBuild)

    /// This process's, in builds without DEBUG as well.
    public static let inAnyBuild = LaunchContext()

    package func limited(toDebug isDebug: Bool) -> LaunchContext { isDebug ? self : LaunchContext(modes: []) }

    /// Whether the app hosts unit tests (`XCTestConfigurationFilePath`); an app under UI test is not told so.
    public var isRunningTests: Bool { modes.contains(.tests) }

    /// Whether a UI test drives the app (`--UITest`).
    public var isUITest: Bool { modes.contains(.uiTests) }

    /// Whether Xcode shows a preview (`XCODE_RUNNING_FOR_PREVIEWS`).
    public var isPreview: Bool { modes.contains(.previews) }

    /// Whether fastlane takes screenshots (`FASTLANE_SNAPSHOT`).
    public var isSnapshot: Bool { modes.contains(.snapshots) }

    /// Does something unless one of the modes holds.
    ///
    /// - Returns: what `body` returned; nil if it was not called.
    @discardableResult
    public func unless<Outcome, Failure: Error>(_ modes: Mode..., perform body: () throws(Failure) -> Outcome) throws(Failure)
        -> Outcome?
    {
        self.modes.isDisjoint(with: modes) ? try body() : nil
    }

    /// Does something unless one of the modes holds for this process: heavy set-up that no test and no preview needs.
    ///
    /// - Returns: what `body` returned; nil if it was not called.
    @discardableResult
    public static func unless<Outcome, Failure: Error>(
        _ modes: Mode..., perform body: () throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome? {
        current.modes.isDisjoint(with: modes) ? try body() : nil
    }
}

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
