import Foundation
import PackagePlugin

/// Runs `capsule pack` with the arguments of `swift package capsule-pack`.
@main
struct CapsulePack: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try context.tool(named: "capsule").path.string)
        process.arguments = ["pack"] + arguments
        try process.run()
        process.waitUntilExit()
        // The program has said why. SwiftPM makes 1 of each status but 0.
        if process.terminationStatus != 0 { exit(process.terminationStatus) }
    }
}
