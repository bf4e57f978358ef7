import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge
@testable import CapsuleOverlay

/// Comparing, merging and applying handle the deepest values that the limits allow on the smallest stack of a thread. Otherwise a
/// debug build of an app that links the library would crash. The short form uses half the depth and half the stack.
@Suite struct DeepValueTests {
    /// An operation that returns true if its result is right.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let isRight: @Sendable () throws -> Bool

        init(_ name: String, _ isRight: @escaping @Sendable () throws -> Bool) {
            self.name = name
            self.isRight = isRight
        }

        var testDescription: String { name }
    }

    /// Nested containers, as many as a value may have. A shape decides how the arrays among them pair.
    enum Shape: CaseIterable, Sendable {
        case arrays, dictionaries, keyed, sets, ordered

        /// - Parameter leaf: the innermost container.
        func value(_ leaf: PlistValue) -> PlistValue {
            let levels = PlistLimits.standard.depth / depthDivisor - 1
            switch self {
            case .arrays: return (0..<levels).reduce(leaf) { inner, _ in .array([inner]) }
            case .dictionaries: return (0..<levels).reduce(leaf) { inner, _ in ["k": inner, "l": "beside"] }
            case .keyed: return (0..<levels / 2).reduce(leaf) { inner, _ in ["Name": "n", "v": .array([inner])] }
            case .sets, .ordered: return (0..<levels / 2).reduce(leaf) { inner, _ in ["v": .array([inner])] }
            }
        }

        var identities: ArrayIdentities { ArrayIdentities(rules) }

        var rules: [ArrayIdentities.Rule] {
            let identity: ArrayIdentity
            switch self {
            case .keyed: identity = .keyed("Name", isOptional: true)
            case .sets: identity = .set
            case .ordered: identity = .ordered
            case .arrays, .dictionaries: return []
            }
            return (try? PointerPattern("v")).map { [ArrayIdentities.Rule($0, identity)] } ?? []
        }

        var old: PlistValue { value(["x": 1, "y": 1]) }
        var ours: PlistValue { value(["x": 2, "y": 1]) }
        var theirs: PlistValue { value(["x": 1, "y": 2]) }
        var both: PlistValue { value(["x": 2, "y": 2]) }
    }

    private static func each(_ name: String, _ body: @escaping @Sendable (Shape) throws -> Bool) -> [Case] {
        Shape.allCases.map { shape in Case("\(name), \(shape)") { try body(shape) } }
    }

    private static func context(_ shape: Shape, expands: Bool = false) -> OverlayContext {
        OverlayContext(values: ["N": "2"], arrays: shape.rules, expands: expands)
    }

    /// The contents of the outermost containers.
    private static func inner(_ old: PlistValue, _ new: PlistValue) -> (PlistValue, PlistValue)? {
        func inner(_ value: PlistValue) -> PlistValue? {
            value.array?.last ?? value.dictionary?["k"] ?? value.dictionary?["v"]
        }
        guard let old = inner(old), let new = inner(new) else { return nil }
        return (old, new)
    }

    static let comparing: [Case] = [
        each("compared") { try !PlistDiff($0.old, $0.ours, identities: $0.identities).changes.isEmpty },
        each("told as lines") { shape in
            let document = try PlistDocument.read(try PlistWriter.write(shape.old, as: .binary))
            return try !PointerLines.text(of: document) { _ in "digest" }.isEmpty
        },
        each("put in order") { shape in
            NameOrder.compare(shape.old, shape.ours) == .less
        },
        each("told apart") { shape in
            var classes = ValueInterner()
            return classes.numbers(of: [shape.old, shape.ours, shape.old]) == [0, 1, 0]
        },
        each("equal by number") { shape in
            shape.value(["x": 1.0]).isEqualByNumber(to: shape.value(["x": 1]))
                && !shape.value(["x": 1.5]).isEqualByNumber(to: shape.value(["x": 1]))
        },
        each("secrets hidden") { shape in
            let change = PlistChange(.added(shape.value(["x": .data(Array("cookies".utf8))])), at: .root)
            var cover = SecretCover()
            return cover.hiding(change).kind == .added(shape.value(["x": "hidden (cookie)"]))
        },
        each("rebased") { shape in
            let rebase = try #require(PathRebase(target: HostPath("/tmp/target")))
            return rebase.rebased(shape.old).findings.isCut
        },
        each("JSON") { try JSONContent.read(try PlistWriter.write($0.old, as: .json)) == $0.old },
    ].flatMap { $0 }

    static let overlays: [Case] = [
        each("operations") { shape in
            let overlay = try Overlay(turning: shape.old, into: shape.ours, identities: shape.identities)
            let context = Self.context(shape)
            let read = try Overlay(reading: try PlistWriter.write(overlay.document, as: .xml))
            return try overlay.applied(to: shape.old, in: context).value == shape.ours && read == overlay
                && overlay.inverted().applied(to: shape.ours, in: context).value == shape.old
                && overlay.targets[0].steps.count == overlay.targets[0].operations.count
        },
        each("one after the other") { shape in
            let first = try Overlay(turning: shape.old, into: shape.ours, identities: shape.identities)
            let second = try Overlay(turning: shape.ours, into: shape.both, identities: shape.identities)
            return try first.composed(with: second).applied(to: shape.old, in: Self.context(shape)).value == shape.both
        },
        each("a partial property list") { shape in
            let plain = try PlainOverlay(turning: shape.old, into: shape.ours, identities: shape.identities)
            // Changes that can't be expressed, so deep or in a set, are reported.
            guard let value = plain.value else { return !plain.unmergeable.isEmpty }
            let overlay = Overlay(form: .plain, targets: [Overlay.Target(merge: value)])
            return try overlay.applied(to: shape.old, in: Self.context(shape)).value == shape.ours
        },
        each("a partial property list, one level less deep") { shape in
            guard let (old, new) = Self.inner(shape.old, shape.ours) else { return false }
            let plain = try PlainOverlay(turning: old, into: new, identities: shape.identities)
            guard let value = plain.value else { return shape == .arrays || shape == .sets }
            let overlay = Overlay(form: .plain, targets: [Overlay.Target(merge: value)])
            return try overlay.applied(to: old, in: Self.context(shape)).value == new
        },
        each("merged deep, names expanded") { shape in
            let overlay = Overlay(form: .plain, targets: [Overlay.Target(merge: shape.value(["z": "$(N)"]))])
            let result = try overlay.applied(to: shape.old, in: Self.context(shape, expands: true)).value
            let again = try overlay.applied(to: result, in: Self.context(shape, expands: true)).value
            return result != shape.old && again == result
        },
        each("a merge patch, names expanded") { shape in
            let overlay = Overlay(form: .mergePatch, targets: [Overlay.Target(merge: shape.value(["x": "$(N)", "y": .null]))])
            let result = try overlay.applied(to: shape.old, in: Self.context(shape, expands: true)).value
            return result == (shape == .dictionaries ? shape.value(["x": "2"]) : shape.value(["x": "2", "y": .null]))
        },
        each("a test of JSON Patch, and a value with names") { shape in
            let operations = [
                PlistOperation(.test(shape.value(["x": 1.0, "y": 1])), at: .root),
                PlistOperation(.replace(shape.value(["x": "$(N)"])), at: .root),
            ]
            let overlay = Overlay(form: .patch, targets: [Overlay.Target(operations: operations)])
            return try overlay.applied(to: shape.old, in: Self.context(shape, expands: true)).value == shape.value(["x": "2"])
        },
    ].flatMap { $0 }

    static let merges: [Case] = [
        each("merged") { shape in
            var decisions = MergeDecisions()
            var merge = PlistMerge(identities: shape.identities)
            let value = try merge.merge(base: shape.old, ours: shape.ours, theirs: shape.theirs, &decisions)
            return shape == .sets ? value != shape.old : value == shape.both && decisions.conflicts.isEmpty
        },
        each("in conflict") { shape in
            var decisions = MergeDecisions()
            var merge = PlistMerge(identities: shape.identities)
            let theirs = shape.value(["x": 3, "y": 1])
            let value = try merge.merge(base: shape.old, ours: shape.ours, theirs: theirs, &decisions)
            return shape == .sets ? value != shape.old : value == shape.ours && decisions.conflicts.count == 1
        },
        each("documents, with marks") { shape in
            let documents = try [shape.old, shape.ours, shape.value(["x": 3, "y": 1])].map { value in
                try PlistDocument.read(try PlistWriter.write(value, as: .xml))
            }
            let merge = PlistDocumentMerge(identities: shape.identities)
            return try !merge.marked(
                base: documents[0], ours: documents[1], theirs: documents[2], labels: MergeLabels(ours: "a", theirs: "b")
            ).isEmpty
        },
        each("whole values in conflict, as a document") { shape in
            var decisions = MergeDecisions()
            var merge = PlistMerge()
            _ = try merge.merge(base: shape.old, ours: shape.ours, theirs: "other", &decisions)
            let input = ConflictsDocument.Input(source: [0x61], digest: "")
            let document = ConflictsDocument(base: input, ours: input, theirs: input, conflicts: decisions.conflicts)
            return try ConflictsDocument(document.document).conflicts.map(\.ours) == [shape.ours]
        },
    ].flatMap { $0 }

    private static let names = 99 / depthDivisor

    /// The maximum number of nested names, or half of it on half the stack.
    static let expansions: [Case] = [
        Case("names of names") {
            let text = String(repeating: "$(", count: Self.names) + "N" + String(repeating: ")", count: Self.names)
            return try Expansion(values: ["N": "N"]).expand(text) == "N"
        },
        Case("defaults of defaults") {
            let text = String(repeating: "$(M:default=", count: Self.names) + "x" + String(repeating: ")", count: Self.names)
            return try Expansion(values: [:]).expand(text) == "x"
        },
        Case("values of values") {
            let pairs = (0..<Self.names).map { ("N\($0)", "$(N\($0 + 1):upper)") } + [("N\(Self.names)", "x")]
            return try Expansion(values: Dictionary(uniqueKeysWithValues: pairs)).expand("$(N0)") == "X"
        },
    ]

    @Test(arguments: comparing + overlays + merges + expansions)
    func takesTheLeastStack(deep: Case) throws {
        #expect(try onStack(of: leastStack / depthDivisor, deep.isRight))
    }
}
