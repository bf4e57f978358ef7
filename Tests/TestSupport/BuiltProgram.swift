import Foundation

/// The package's programs, built with the tests.
package enum BuiltProgram {
    /// Returns the path of a program beside the test bundle; nil if it was not built.
    package static func path(_ name: String) -> String? {
        let executable =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        var starts = [executable] + CommandLine.arguments
        // On Apple's systems, the process is a runner that has loaded the tests.
        if PlatformCalls.isApple { starts += Bundle.allBundles.map(\.bundlePath) }
        for start in starts {
            var directory = URL(fileURLWithPath: start)
            while directory.path != "/" {
                directory.deleteLastPathComponent()
                let program = directory.appendingPathComponent(name).path
                var isDirectory: ObjCBool = false
                if FileManager.default.fileExists(atPath: program, isDirectory: &isDirectory), !isDirectory.boolValue {
                    return program
                }
            }
        }
        return nil
    }
}
