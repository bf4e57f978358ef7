package import CapsuleCore
import CapsulePropertyList

extension FileRecord {
    /// - Throws: `invalid`, with the place in the record: a path that overlays never change, parts that don't fit the kind of
    ///   entry, a recipe that does not produce its content.
    package func check() throws(OverlayError) {
        try checkPath()
        for (key, state, other) in [("Old", old, new), ("New", new, old)] as [(PlistString, FileState?, FileState?)] {
            guard let state else { continue }
            do throws(OverlayError) {
                try state.check()
                if let recipe = state.content?.recipe { try Self.check(recipe, of: state, from: other) }
            } catch {
                var error = error
                error.source = PlistPointer(steps: [key] + (error.source?.steps ?? []))
                throw error
            }
        }
    }

    /// Refuses paths that a scan of a container skips, or that overlays never change.
    private func checkPath() throws(OverlayError) {
        func refuse(_ message: String) -> OverlayError {
            OverlayError(.invalid, "Path: \(PlistString(path.description).quoted) \(message)", in: PlistPointer(steps: ["Path"]))
        }
        if path.isRoot { throw refuse("is the container itself") }
        let components = path.components
        let isOfGroup = components.count > 2 && components[0].elementsEqual(ContainerNames.appGroups)
        for name in isOfGroup ? [components[0], components[2]] : [components[0]] {
            if name.elementsEqual(ContainerNames.transaction) { throw refuse("is reserved for unfinished transactions") }
            if name.elementsEqual(ContainerNames.identity) { throw refuse("identifies the container and can't be changed") }
        }
    }

    private static func check(_ recipe: ContentRecipe, of state: FileState, from other: FileState?) throws(OverlayError) {
        func refuse(_ message: String, _ more: PlistString...) -> OverlayError {
            OverlayError(.invalid, "Chunks: \(message)", in: PlistPointer(steps: ["Chunks"] + more))
        }
        func refuse(_ piece: Int, _ message: String) -> OverlayError {
            refuse(message, "Pieces", PlistString(String(piece)))
        }
        guard let content = state.content else { throw refuse("they need a 'Size' and a 'Digest'") }
        guard let source = other?.content else { throw refuse("the other state has no content to copy from") }
        switch recipe.flaw(makingUp: content.size, of: source.size) {
        case nil: break
        case .empty(let piece): throw refuse(piece, "piece \(piece) is empty")
        case .sourceless(let piece), .beyond(let piece):
            throw refuse(piece, "piece \(piece) extends past the other state's \(source.size) bytes")
        case .tooLong(let piece):
            throw refuse(piece, "with piece \(piece), the total is more than \(content.size) bytes")
        case .tooShort(let sum): throw refuse("they add up to \(sum) of \(content.size) bytes", "Pieces")
        }
    }
}

extension FileState {
    /// The maximum size of a file in a record, in bytes: the limit for all content of a version (docs/format.md, section 13).
    static let maximumSize: UInt64 = 4 << 40

    fileprivate func check() throws(OverlayError) {
        func refuse(_ key: PlistString, _ message: String, _ more: PlistString...) -> OverlayError {
            OverlayError(.invalid, "\(key): \(message)", in: PlistPointer(steps: [key] + more))
        }
        switch kind {
        case .identity: throw refuse("Kind", "the container's identity can't be changed")
        case .link:
            if target.isEmpty { throw OverlayError(.invalid, "\"Target\" is missing", hint: "write the link's target") }
            if target.count > TreeEntry.maximumTargetLength {
                throw refuse("Target", "is longer than \(TreeEntry.maximumTargetLength) bytes")
            }
            if target.contains(0) { throw refuse("Target", "contains a NUL byte") }
            if mode != nil { throw refuse("Mode", "a link has no mode") }
        case .file, .directory:
            if !target.isEmpty { throw refuse("Target", "is only for links") }
        }
        if let content {
            if kind != .file { throw refuse("Size", "a \(kind.word) has no size") }
            if content.digest == .zero { throw refuse("Digest", "must not be all zeros") }
            if content.size > Self.maximumSize { throw refuse("Size", "is more than \(Self.maximumSize) bytes") }
        }
        if let attributes {
            do throws(OverlayError) { try Self.check(attributes) } catch {
                throw error.located(in: PlistPointer(steps: ["Attributes"]))
            }
        }
    }

    private static func check(_ attributes: [ExtendedAttribute]) throws(OverlayError) {
        var total = 0
        for (number, attribute) in attributes.enumerated() {
            let name = PlistString(String(decoding: attribute.name, as: UTF8.self)).quoted
            func refuse(_ message: String) -> OverlayError { OverlayError(.invalid, "Attributes: \(name) \(message)") }
            if attribute.name.isEmpty { throw refuse("is not a name") }
            if attribute.name.contains(0) { throw refuse("contains a NUL byte") }
            if attribute.name.count > RelativePath.maximumComponentLength {
                throw refuse("is longer than \(RelativePath.maximumComponentLength) bytes")
            }
            if ExtendedAttribute.isDenied(attribute.name) { throw refuse("can only be set by the system") }
            if !ExtendedAttribute.isStorable(attribute.name) { throw refuse("is the Linux spelling: leave 'user.' out") }
            if attribute.value.count > ExtendedAttribute.maximumValueLength {
                throw refuse("has more than \(ExtendedAttribute.maximumValueLength) bytes")
            }
            total += attribute.name.count + attribute.value.count
            if number > 0 {
                let last = attributes[number - 1].name
                if last == attribute.name { throw refuse("is listed twice") }
                if !last.isOrderedBefore(attribute.name) { throw refuse("is out of order") }
            }
        }
        guard total <= ExtendedAttribute.maximumTotalLength else {
            throw OverlayError(.invalid, "Attributes: the total is more than \(ExtendedAttribute.maximumTotalLength) bytes")
        }
    }
}

extension ContentRecipe {
    /// A reason why a recipe can't produce its content. Pieces are given by their numbers.
    enum Flaw: Equatable {
        case empty(piece: Int)
        /// The piece is copied, but there is no content to copy from.
        case sourceless(piece: Int)
        /// The piece extends past the end of the content that it is copied from.
        case beyond(piece: Int)
        /// With this piece, the pieces are longer than the content.
        case tooLong(piece: Int)
        /// The pieces make up this number of bytes, and the content has more.
        case tooShort(UInt64)
    }

    func flaw(makingUp size: UInt64, of other: UInt64?) -> Flaw? {
        var sum: UInt64 = 0
        for (number, piece) in pieces.enumerated() {
            guard piece.length > 0 else { return .empty(piece: number) }
            if case .copied(let offset, let length) = piece {
                guard let other else { return .sourceless(piece: number) }
                let (end, overflows) = offset.addingReportingOverflow(length)
                guard !overflows, end <= other else { return .beyond(piece: number) }
            }
            let (next, overflows) = sum.addingReportingOverflow(piece.length)
            guard !overflows, next <= size else { return .tooLong(piece: number) }
            sum = next
        }
        return sum == size ? nil : .tooShort(sum)
    }

    /// Returns the problem of a recipe from another source, in lower case without a period; nil for a valid recipe.
    package func problem(makingUp size: UInt64, of other: UInt64?) -> String? {
        switch flaw(makingUp: size, of: other) {
        case nil: nil
        case .empty: "a piece is empty"
        case .sourceless: "a piece is copied, but there is no content to copy from"
        case .beyond: "a piece extends past the end of the content it is copied from"
        case .tooLong: "the pieces are longer than the content"
        case .tooShort: "the pieces are shorter than the content"
        }
    }
}
