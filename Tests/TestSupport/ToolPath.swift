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

    /// Returns the directory of the first `python3` in PATH that is a program, if a script has that name before it: pyenv's takes ten
    /// times as long to start as what it starts. Returns nil if there is nothing to gain.
    ///
    /// - Parameter isScript: returns true for a script, false for a program, and nil if there is no such file.
    package static func quickPython(_ path: String, isScript: (String) -> Bool?) -> String? {
        var isBehindScript = false
        for directory in path.split(separator: ":").map(String.init) {
            switch isScript(directory + "/python3") {
            case true?: isBehindScript = true
            case false?: return isBehindScript ? directory : nil
            case nil: break
            }
        }
        return nil
    }

    /// The PATH for tests on this machine.
    package static let current: String = {
        let found = path(
            ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", isApple: PlatformCalls.isApple
        ) { FileManager.default.fileExists(atPath: $0) }
        // On a Mac, the program that comes with the system is another, older one.
        guard !PlatformCalls.isApple else { return found }
        let python = quickPython(found) { name in
            guard let file = FileHandle(forReadingAtPath: name) else { return nil }
            defer { try? file.close() }
            return (try? file.read(upToCount: 2))?.elementsEqual("#!".utf8) ?? false
        }
        return python.map { "\($0):\(found)" } ?? found
    }()
}
