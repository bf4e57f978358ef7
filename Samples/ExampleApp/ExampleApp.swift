import CapsuleRuntime
import Foundation

/// A stand-in for an app. It does what the app's `App.init` would do, in that order, and prints what the first screen would show.
struct ExampleApp {
    /// A service that takes long to set up.
    private let analytics = Lazily { Analytics() }

    func launch() throws {
        let context = LaunchContext.current
        show("modes", context.modes.map { "\($0)" }.sorted())

        // This comes first: the app has not opened any file yet.
        let environment = Self.environment
        let parts: [AppDataReset.Part] = [.files, .defaults, .groups([Self.group]), .sceneSessions]
        if let reset = try AppDataReset.perform(parts, in: environment) { show("reset", reset.deleted) }
        if context.isUITest || context.isSnapshot {
            let seed = try AppDataSeed(named: "UITests").install(policy: .ifEmpty, in: environment)
            show("seed", [seed.description])
        }
        LaunchContext.unless(.tests, .uiTests, .previews, .snapshots) { analytics.value.log("launched") }
        show("analytics", [analytics.valueIfMade == nil ? "off" : "on"])

        let gifs: GifStore
        if context.isPreview {
            let store = try PreviewStore(named: "Model").url(in: environment)
            gifs = try GifStore(at: store)
        } else {
            gifs = try GifStore(at: try Self.store(environment))
        }
        show("gifs", try gifs.titles())
        show("theme", [UserDefaults(suiteName: Self.identifier)?.string(forKey: "theme") ?? "default"])
        show("widget", [UserDefaults(suiteName: Self.group)?.bool(forKey: "migrated") == true ? "migrated" : "default"])
    }

    private func show(_ title: String, _ items: [String]) {
        print("\(title): \(items.joined(separator: ", "))")
    }

    // MARK: The environment of an app on iOS

    static let identifier = "com.example.gifs"
    static let group = "group.com.example.gifs"

    private static func store(_ environment: AppEnvironment) throws -> URL {
        guard let home = environment.home else { throw CocoaError(.fileNoSuchFile) }
        let directory = home.appendingPathComponent("Library/Application Support")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory.appendingPathComponent("Model.sqlite")
    }

    /// On iOS this is `.current`. Elsewhere it is the directory that `EXAMPLE_HOME` names.
    private static var environment: AppEnvironment {
        guard let path = ProcessInfo.processInfo.environment["EXAMPLE_HOME"] else { return .current }
        let home = URL(fileURLWithPath: path, isDirectory: true)
        return AppEnvironment(home: home.appendingPathComponent("Data"), bundleIdentifier: identifier) { identifier in
            identifier == group ? home.appendingPathComponent("Group") : nil
        }
    }
}

/// The work that tests and previews don't start.
struct Analytics {
    func log(_ event: String) {}
}
