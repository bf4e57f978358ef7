import Foundation

/// Where tests look for programs.
package enum ToolPath {
    /// Homebrew's formulas that have GNU's tools, under their own names, in a directory of their own.
    package static let formulas = ["coreutils", "findutils", "gnu-sed", "gnu-tar", "grep"]
    /// Where Homebrew is: on Macs with Apple's processors, and on others.
    package static let prefixes = ["/opt/homebrew", "/usr/local"]

    /// PATH as tests use it: on Apple's systems, whose tools take other options, GNU's come first where they are installed.
    ///
    /// - Parameters:
    ///   - given: the PATH of this process.
    ///   - isThere: whether a directory exists.
    package static func path(_ given: String, isApple: Bool, isThere: (String) -> Bool) -> String {
        guard isApple else { return given }
        let found = prefixes.flatMap { prefix in
            formulas.map { "\(prefix)/opt/\($0)/libexec/gnubin" }.filter(isThere)
        }
        return (found + (given.isEmpty ? [] : [given])).joined(separator: ":")
    }

    /// PATH as tests use it here.
    package static let current = path(
        ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", isApple: PlatformCalls.isApple
    ) { FileManager.default.fileExists(atPath: $0) }
}
