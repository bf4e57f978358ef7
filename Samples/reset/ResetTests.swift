import CapsuleUITesting
import XCTest

/// Each test begins with the same data, whatever the one before it left.
@MainActor
final class ResetTests: XCTestCase {
    private let app = XCUIApplication()

    /// The app's data becomes equal to a version of the project's capsule. `capsule serve -- xcodebuild test …` runs the tests.
    func testASavedStateIsRestored() throws {
        let capsule = try CapsuleServer.fromEnvironment()
        app.terminate()
        try capsule.restore("clean")
        app.launch()
        app.searchFields.firstMatch.tap()
        app.terminate()
        do {
            try capsule.expect("run.plist")
        } catch let error as CapsuleServer.UnexpectedChanges {
            add(XCTAttachment(data: error.page, uniformTypeIdentifier: "public.html"))
            throw error
        }
    }

    /// The app resets and seeds itself. This needs no server.
    func testTheAppResetsItself() {
        app.launchArguments += ["--UITest", "--ResetData"]
        app.launch()
        app.searchFields.firstMatch.tap()
    }

    func testDataSurvivesARelaunch() {
        app.launchArguments += ["--UITest", "--ResetData"]
        app.launch()
        app.terminate()
        // The second launch finds what the first one wrote.
        app.launchArguments.removeAll { $0 == "--ResetData" }
        app.launch()
    }
}
