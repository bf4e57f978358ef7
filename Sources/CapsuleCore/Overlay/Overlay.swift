public import CapsulePropertyList

/// What turns one property list, or several of a tree, into others (docs/overlay.md).
public struct Overlay: Hashable, Sendable {
    /// In what form it was written, which decides how its parts are meant.
    public enum Form: String, Hashable, Sendable {
        /// An ordinary partial property list, merged deep.
        case plain
        /// A JSON Merge Patch (RFC 7396).
        case mergePatch
        /// A JSON Patch (RFC 6902).
        case patch
        /// A dictionary with `CapsuleOverlay`.
        case document
    }

    /// How it was written.
    public var form: Form
    /// What it is called in reports.
    public var name: String?
    /// What its author says of it.
    public var note: String?
    /// All must hold, else the overlay is passed over.
    public var conditions: [Condition]
    /// How arrays merge, before the built-in table is asked.
    public var arrays: [ArrayIdentities.Rule]
    /// In order.
    public var targets: [Target]
    /// What becomes of whole files, directories and links; by path, each once, in no order that means anything.
    public var files: [FileRecord]
    /// Whether null takes a key away: a JSON object that is read as a plain overlay.
    public var nullRemoves = false
    /// Whether a string stands for a value of the base's type: OpenStep has no other scalars.
    public var stringsTakeBaseType = false

    /// An overlay of these parts.
    public init(
        form: Form = .document, name: String? = nil, note: String? = nil, conditions: [Condition] = [],
        arrays: [ArrayIdentities.Rule] = [], targets: [Target], files: [FileRecord] = []
    ) {
        self.form = form
        self.name = name
        self.note = note
        self.conditions = conditions
        self.arrays = arrays
        self.targets = targets
        self.files = files
    }
}

extension Overlay {
    /// One property list, or all that a glob names, and what is done to it. `remove`, `merge` and `operations` run in this order.
    public struct Target: Hashable, Sendable {
        /// A tree path or glob; nil for the property list that the overlay is applied to.
        public var path: String?
        /// Where ``path`` begins.
        public var root: Root
        /// All of them must hold, or the target is passed over.
        public var conditions: [Condition]
        /// In which encoding a missing property list is made; nil where that is an error.
        public var create: PlistFormat?
        /// What must not be there afterwards; what is missing already is fine.
        public var remove: [PlistPointer]
        /// A partial property list.
        public var merge: PlistValue?
        /// Single steps, in order.
        public var operations: [PlistOperation]
        /// The encoding of the result; nil for that of the base.
        public var encode: PlistFormat?

        /// A target that does nothing but what it is given.
        public init(
            path: String? = nil, root: Root = .appData, conditions: [Condition] = [], create: PlistFormat? = nil,
            remove: [PlistPointer] = [], merge: PlistValue? = nil, operations: [PlistOperation] = [], encode: PlistFormat? = nil
        ) {
            self.path = path
            self.root = root
            self.conditions = conditions
            self.create = create
            self.remove = remove
            self.merge = merge
            self.operations = operations
            self.encode = encode
        }
    }

    /// Where the paths of targets begin.
    public enum Root: Hashable, Sendable, CustomStringConvertible {
        /// The app's data, a container's tree.
        case appData
        /// The app itself, `NAME.app`.
        case appBundle
        /// The container of the app group with this identifier.
        case appGroup(String)

        /// `AppData`, `AppBundle` or `AppGroup:ID`.
        public var description: String {
            switch self {
            case .appData: "AppData"
            case .appBundle: "AppBundle"
            case .appGroup(let identifier): "AppGroup:\(identifier)"
            }
        }

        /// Reads what ``description`` says; nil for anything else.
        public init?(_ text: String) {
            switch text {
            case "AppData": self = .appData
            case "AppBundle": self = .appBundle
            default:
                guard text.hasPrefix("AppGroup:"), text.count > "AppGroup:".count else { return nil }
                self = .appGroup(String(text.dropFirst("AppGroup:".count)))
            }
        }
    }
}
