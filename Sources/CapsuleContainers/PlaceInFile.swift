package import CapsuleCore
import CapsuleSystem

/// Finds places in files: pointers, tables and rows.
extension OpenedContainer {
    /// Returns the number of the file that `PATH` or `PATH:PLACE` begins with, and the place in it. A file's name alone is enough if no
    /// other file has it. A file with the whole name takes precedence.
    package func place(named name: [UInt8]) throws(CapsuleError) -> (number: Int, place: String?) {
        var missing: CapsuleError
        do throws(CapsuleError) {
            return (try number(of: name), nil)
        } catch {
            guard error.code == .notFound else { throw error }
            missing = error
        }
        for colon in name.indices.reversed() where name[colon] == UInt8(ascii: ":") && colon > 0 && colon + 1 < name.count {
            do throws(CapsuleError) {
                let number = try number(of: Array(name[..<colon]))
                return (number, String(decoding: name[(colon + 1)...], as: UTF8.self))
            } catch {
                guard error.code == .notFound else { throw error }
                missing = error
            }
        }
        throw missing
    }

    /// Returns the number of the entry that a path names, or of the only file with this name.
    func number(of path: [UInt8]) throws(CapsuleError) -> Int {
        do throws(CapsuleError) {
            return try FoundFile.number(of: path, in: self)
        } catch {
            guard error.code == .notFound, !path.contains(UInt8(ascii: "/")) else { throw error }
            let found = entries.indices.filter {
                entries[$0].kind == .file && entries[$0].path.name.elementsEqual(path)
            }
            guard found.count > 1 else {
                if let number = found.first { return number }
                throw error
            }
            let paths = found.prefix(3).map { "\(entries[$0].path)" }.joined(separator: ", ")
            throw CapsuleError(
                .usage, "is the name of \(found.count) files", path: HostPath(path),
                hint: "name one of them by its path: \(paths)")
        }
    }
}
