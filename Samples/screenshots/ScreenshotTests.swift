import XCTest

/// Run by the lane; `setupSnapshot` and `snapshot` are in fastlane's SnapshotHelper.swift.
@MainActor
final class ScreenshotTests: XCTestCase {
    func testGifs() {
        let app = XCUIApplication()
        setupSnapshot(app)
        app.launch()
        snapshot("01-Gifs")
    }
}
