// As much of XCTest's user interface tests, and of fastlane's SnapshotHelper.swift, as samples use.

public import Foundation

open class XCTestCase {
    public init() {}
    public nonisolated func add(_ attachment: XCTAttachment) {}
    open func setUp() async throws {}
}

public final class XCTAttachment: Sendable {
    public init(data: Data, uniformTypeIdentifier: String) {}
}

@MainActor
public final class XCUIApplication {
    public var launchArguments: [String] = []
    public let searchFields = XCUIElementQuery()
    public nonisolated init() {}
    public func launch() {}
    public func terminate() {}
}

@MainActor
public final class XCUIElementQuery {
    public let firstMatch = XCUIElement()
    nonisolated init() {}
}

@MainActor
public final class XCUIElement {
    nonisolated init() {}
    public func tap() {}
}

@MainActor
public func setupSnapshot(_ app: XCUIApplication) {}

@MainActor
public func snapshot(_ name: String) {}
