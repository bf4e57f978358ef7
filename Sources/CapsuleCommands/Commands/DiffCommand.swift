import CapsuleCore
import CapsuleEngine

/// `capsule diff`
struct DiffCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let (old, new) = (context.command[.old], context.command[.new])
        switch (ComparedKind(of: old), ComparedKind(of: new)) {
        case (.either, .either) where old == new && HostPath(old) == .standardStream:
            throw CapsuleError(.usage, "standard input can't be compared with itself", hint: "one of the two may be '-'")
        case (.propertyList, .propertyList), (.propertyList, .either), (.either, .propertyList):
            return try PlistDiffCommand(context: context).run()
        case (.container, .propertyList):
            throw Self.unlike(new)
        case (.propertyList, .container):
            throw Self.unlike(old)
        case (.container, _), (_, .container), (.either, .either):
            return try ContainerDiffCommand(context: context).run()
        }
    }

    private static func unlike(_ propertyList: [UInt8]) -> CapsuleError {
        CapsuleError(
            .usage, "is a single file, and the other side is a container", path: HostPath(propertyList),
            hint: "a property list is compared with another one; 'capsule cat CONTAINER PATH' takes one out")
    }
}
