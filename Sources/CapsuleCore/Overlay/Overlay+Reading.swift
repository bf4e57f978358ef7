public import CapsulePropertyList

extension Overlay {
    /// Takes a property list for the overlay that it is.
    ///
    /// - Parameters:
    ///   - value: the whole file.
    ///   - format: the encoding it was read from. JSON that is no document is a patch: an object a JSON Merge Patch (RFC
    ///     7396), an array a JSON Patch (RFC 6902).
    ///   - isDeep: whether a JSON object is a plain overlay, in which null takes a key away.
    /// - Throws: `invalid` for what is no overlay, with the place in it.
    public init(_ value: PlistValue, format: PlistFormat, isDeep: Bool = false) throws(OverlayError) {
        switch value {
        case .dictionary(let entries) where entries[OverlayDocumentReader.mark] != nil:
            self = try OverlayDocumentReader.read(entries, isUntyped: format == .openStep)
        case .dictionary where format == .json && !isDeep:
            self.init(form: .mergePatch, targets: [Target(merge: value)])
        case .dictionary:
            self.init(form: .plain, targets: [Target(merge: value)])
            nullRemoves = format == .json
            stringsTakeBaseType = format == .openStep
        case .array(let elements) where format == .json:
            self.init(form: .patch, targets: [Target(operations: try Self.patch(elements))])
        default:
            throw OverlayError(
                .invalid, "an overlay must be a dictionary, not \(value.typeNameWithArticle)",
                hint: "write an array of operations as JSON, or under 'Operations' in a document")
        }
    }

    /// Reads an overlay file.
    ///
    /// - Throws: also for what is no property list.
    public init(reading bytes: [UInt8], isDeep: Bool = false, limits: PlistLimits = .standard) throws(OverlayError) {
        let document: PlistDocument
        do throws(PlistError) {
            document = try PlistDocument.read(bytes, limits: limits)
        } catch {
            throw OverlayError(error)
        }
        try self.init(document.value, format: document.format, isDeep: isDeep)
    }

    /// A JSON Patch: members it does not know are passed over (RFC 6902, section 4).
    private static func patch(_ elements: [PlistValue]) throws(OverlayError) -> [PlistOperation] {
        var operations: [PlistOperation] = []
        for (number, element) in elements.enumerated() {
            let place = PlistPointer.root.appending(index: number)
            guard let entries = element.dictionary else {
                throw OverlayError(.invalid, "an operation must be an object, not \(element.typeNameWithArticle)", in: place)
            }
            let operation = try OverlayDocumentReader.operation(DocumentPart(entries, at: place), conditions: [])
            switch operation.action {
            case .insert, .merge, .union, .subtract:
                throw OverlayError(
                    .invalid, "JSON Patch has no operation '\(operation.action.name)'", in: place.appending("op"),
                    hint: "use it in an overlay document: {\"CapsuleOverlay\": 1, \"Operations\": […]}")
            default:
                operations.append(operation)
            }
        }
        return operations
    }
}
