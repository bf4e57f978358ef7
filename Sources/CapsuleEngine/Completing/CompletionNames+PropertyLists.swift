public import CapsuleCore
import CapsuleFileSystem
import CapsulePropertyList

extension CompletionNames {
    /// Longer property lists take too long to read while somebody types.
    private static let longestPropertyList: UInt64 = 4 << 20

    /// The pointers into a property list that begin with what was typed, a step at a time. What has something in it comes with a
    /// slash behind it too.
    public static func pointers(in file: HostPath, beginningWith typed: String) -> [String] {
        guard typed.isEmpty || typed.hasPrefix("/"), file != .standardStream, isFile(file),
            let status = try? Syscall.status(file, following: true), status.size <= longestPropertyList,
            let document = try? PlistFile(file, isLenient: true).document
        else { return [] }
        let parent = typed.lastIndex(of: "/").map { String(typed[..<$0]) } ?? ""
        guard let pointer = try? PlistPointer(parent), let value = try? document.value.value(at: pointer) else { return [] }
        return steps(of: value).flatMap { step in
            let place = pointer.appending(step.name).description
            return step.hasMore ? [place, place + "/"] : [place]
        }.filter { $0.hasPrefix(typed) }
    }

    /// The keys or indices of a value.
    private static func steps(of value: PlistValue) -> [(name: PlistString, hasMore: Bool)] {
        switch value {
        case .dictionary(let dictionary):
            dictionary.prefix(limit).map { ($0.key, hasSteps($0.value)) }
        case .array(let elements):
            elements.prefix(limit).enumerated().map { (PlistString(String($0)), hasSteps($1)) }
        default: []
        }
    }

    private static func hasSteps(_ value: PlistValue) -> Bool {
        switch value {
        case .dictionary(let dictionary): dictionary.count > 0
        case .array(let elements): !elements.isEmpty
        default: false
        }
    }
}
