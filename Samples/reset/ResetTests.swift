import XCTest

/// Each test begins with the data of the seed, whatever the one before it left.
@MainActor
final class ResetTests: XCTestCase {
    private let app = XCUIApplication()

    func testASearchIsRemembered() {
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
