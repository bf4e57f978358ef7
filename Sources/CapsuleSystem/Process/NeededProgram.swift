package import CapsuleCore

/// The programs that do what Capsule doesn't do itself, such as cryptography.
package enum NeededProgram {
    /// Returns the file of a program.
    /// - Parameters:
    ///   - use: what needs it, the beginning of a sentence: `encrypted files need`.
    ///   - hint: how to install it.
    /// - Throws: `notFound` if it is not in PATH.
    package static func find(_ name: String, for use: String, hint: String) throws(CapsuleError) -> HostPath {
        guard let program = ProgramPath.find(name) else {
            throw CapsuleError(.notFound, "\(use) the program \(name), which is not in PATH", hint: hint)
        }
        return program
    }

    /// Returns a path as an argument that a program takes for neither an option nor standard input.
    package static func argument(_ path: HostPath) -> [UInt8] {
        path.bytes.first == UInt8(ascii: "-") ? Array("./".utf8) + path.bytes : path.bytes
    }
}
