import Foundation

/// The PATH with which tests look up programs.
package enum ToolPath {
    /// Homebrew's formulas with GNU's tools, which have a directory with the tools' usual names.
    package static let formulas = ["coreutils", "findutils", "gnu-sed", "gnu-tar", "grep"]
    /// The directories of Homebrew: on Macs with Apple's processors, and on others.
    package static let prefixes = ["/opt/homebrew", "/usr/local"]

    /// Returns the PATH for tests. The tools of Apple's systems have different options, so GNU's come first where they are installed.
    ///
    /// - Parameters:
    ///   - given: the PATH of this process.
    ///   - isThere: returns true if a directory exists.
    package static func path(_ given: String, isApple: Bool, isThere: (String) -> Bool) -> String {
        guard isApple else { return given }
        let found = prefixes.flatMap { prefix in
            formulas.map { "\(prefix)/opt/\($0)/libexec/gnubin" }.filter(isThere)
        }
        return (found + (given.isEmpty ? [] : [given])).joined(separator: ":")
    }

    /// The PATH for tests on this machine.
    package static let current = path(
        ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", isApple: PlatformCalls.isApple
    ) { FileManager.default.fileExists(atPath: $0) }
}
