import Foundation
import PackagePlugin

/// Turns the capsules and overlays of a target into resources.
///
/// `X.capsule` becomes the directory `X.xcappdata`. `X.overlay.plist` is applied to `X.plist`, or if there is none to `Info.plist`, in the
/// same directory; the result is `X.merged.plist`. A command runs again when one of its inputs has changed.
@main
struct CapsuleResources: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        guard let target = target as? SourceModuleTarget else { return [] }
        let program = try context.tool(named: "capsule").path
        return try target.sourceFiles.compactMap { try command(for: $0.path, program, context.pluginWorkDirectory) }
    }

    /// Returns the command that makes a resource from a file; nil for files that aren't capsules or overlays.
    private func command(for input: Path, _ program: Path, _ directory: Path) throws -> Command? {
        if input.extension == "capsule" {
            let output = directory.appending(input.stem + ".xcappdata")
            // Otherwise SwiftPM plans the first build for a file, and the second one, for a directory, copies it again.
            try FileManager.default.createDirectory(atPath: output.string, withIntermediateDirectories: true)
            return .buildCommand(
                displayName: "Unpack \(input.lastComponent)", executable: program,
                arguments: ["unpack", "--quiet", "--force", "--as", "xcappdata", input, "--output", output],
                inputFiles: [input], outputFiles: [output])
        }
        let suffix = ".overlay.plist"
        guard input.lastComponent.hasSuffix(suffix) else { return nil }
        let name = String(input.lastComponent.dropLast(suffix.count))
        let bases = ["\(name).plist", "Info.plist"].map { input.removingLastComponent().appending($0) }
        guard let base = bases.first(where: { FileManager.default.fileExists(atPath: $0.string) }) else {
            throw MissingBase(description: "\(input): there is neither \(name).plist nor Info.plist beside it")
        }
        let output = directory.appending("\(name).merged.plist")
        return .buildCommand(
            displayName: "Apply \(input.lastComponent) to \(base.lastComponent)", executable: program,
            arguments: ["apply", "--quiet", "--force", "--require", input, base, "--output", output],
            inputFiles: [input, base], outputFiles: [output])
    }
}

/// An overlay has no property list to be applied to.
private struct MissingBase: Error, CustomStringConvertible {
    let description: String
}

#if canImport(XcodeProjectPlugin)
import XcodeProjectPlugin

extension CapsuleResources: XcodeBuildToolPlugin {
    func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
        let program = try context.tool(named: "capsule").path
        return try target.inputFiles.compactMap { try command(for: $0.path, program, context.pluginWorkDirectory) }
    }
}
#endif
