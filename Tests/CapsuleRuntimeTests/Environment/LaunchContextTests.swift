import CapsuleRuntime
import Dispatch
import Foundation
import Testing

/// Tests the launch modes. An app with the wrong mode would show test data to a user, or run its tests on a user's data.
@Suite struct LaunchContextTests {
    struct Launch: Sendable, CustomTestStringConvertible {
        var environment: [String: String] = [:]
        var arguments: [String] = []
        var defaults: Set<String> = []
        var modes: Set<LaunchContext.Mode> = []
        var testDescription: String { "\(environment) \(arguments) \(defaults)" }
    }

    @Test(arguments: [
        Launch(),
        Launch(environment: ["XCTestConfigurationFilePath": "/tmp/a.xctestconfiguration"], modes: [.tests]),
        Launch(environment: ["XCTestConfigurationFilePath": ""], modes: [.tests]),
        Launch(arguments: ["--UITest"], modes: [.uiTests]),
        Launch(arguments: ["--UITests", "-UITest", "--uitest"]),
        Launch(environment: ["XCODE_RUNNING_FOR_PREVIEWS": "1"], modes: [.previews]),
        Launch(environment: ["XCODE_RUNNING_FOR_PREVIEWS": "0"]),
        Launch(defaults: ["FASTLANE_SNAPSHOT"], modes: [.snapshots]),
        Launch(environment: ["FASTLANE_SNAPSHOT": "YES"]),
        Launch(
            environment: ["XCODE_RUNNING_FOR_PREVIEWS": "1"], arguments: ["--ResetData", "--UITest"],
            defaults: ["FASTLANE_SNAPSHOT", "other"], modes: [.previews, .uiTests, .snapshots]),
    ])
    func modes(launch: Launch) {
        let context = LaunchContext(
            environment: launch.environment, arguments: ["/app"] + launch.arguments, isSet: launch.defaults.contains)
        #expect(context.modes == launch.modes)
        #expect(context.isRunningTests == launch.modes.contains(.tests))
        #expect(context.isUITest == launch.modes.contains(.uiTests))
        #expect(context.isPreview == launch.modes.contains(.previews))
        #expect(context.isSnapshot == launch.modes.contains(.snapshots))
        #expect(context.limited(toDebug: true) == context)
        #expect(context.limited(toDebug: false).modes.isEmpty)
    }

    @Test func theProgramsNameIsNoArgument() {
        #expect(LaunchContext(environment: [:], arguments: ["--UITest"], isSet: { _ in false }).modes.isEmpty)
    }

    @Test(arguments: LaunchContext.Mode.allCases)
    func unlessSkipsItsModesOnly(mode: LaunchContext.Mode) {
        let context = LaunchContext(modes: [mode])
        #expect(context.unless(.tests, .previews) { 1 } == (mode == .tests || mode == .previews ? nil : 1))
        #expect(context.unless { 2 } == 2)
    }

    @Test func unlessPassesErrorsOn() {
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try LaunchContext(modes: []).unless(.tests) { () throws(Failure) in throw Failure() }
        }
    }
}

/// Tests that a service is created only once, and only when it is used.
@Suite struct LazilyTests {
    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0
        func next() -> Int {
            lock.withLock {
                count += 1
                return count
            }
        }
        var value: Int { lock.withLock { count } }
    }

    @Test func isMadeAtTheFirstUse() {
        let counter = Counter()
        let service = Lazily { counter.next() }
        #expect(service.valueIfMade == nil)
        #expect(counter.value == 0)
        #expect(service.value == 1)
        #expect(service.value == 1)
        #expect(service.valueIfMade == 1)
    }

    @Test func isMadeOnceWhoeverAsks() {
        let counter = Counter()
        let service = Lazily { counter.next() }
        DispatchQueue.concurrentPerform(iterations: 64) { _ in _ = service.value }
        #expect(service.value == 1)
        #expect(counter.value == 1)
    }
}
