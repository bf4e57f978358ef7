package import CapsulePropertyList

/// An error from reading, checking or applying an overlay, with its place. Also an error from reading rules or an expectation.
package struct OverlayError: Error, Hashable, Sendable {
    package struct Code: Hashable, Sendable {
        private enum Value {
            case invalid, clash, missing, ambiguous, unpaired, failedTest, undefined, unsupported, limit, unreadable
        }
        private let value: Value

        /// The overlay itself is wrong, for example because of an unknown key or operation, or a value of the wrong type.
        package static let invalid = Code(value: .invalid)
        /// The types of base and overlay don't merge.
        package static let clash = Code(value: .clash)
        package static let missing = Code(value: .missing)
        package static let ambiguous = Code(value: .ambiguous)
        /// An element of an array lacks the key that pairs the array's elements.
        package static let unpaired = Code(value: .unpaired)
        package static let failedTest = Code(value: .failedTest)
        package static let undefined = Code(value: .undefined)
        /// An overlay of this kind, or for this use, does not support something.
        package static let unsupported = Code(value: .unsupported)
        package static let limit = Code(value: .limit)
        package static let unreadable = Code(value: .unreadable)
    }

    private struct Fields: Hashable, Sendable {
        package let code: Code
        let message: String
        var target: PlistPointer?
        var source: PlistPointer?
        var isAboutOverlay = false
        var location: PlistLocation?
        let hint: String?
        var others: [OverlayError] = []
    }

    @OnHeap private var fields: Fields

    package var code: Code { fields.code }
    package var message: String { fields.message }
    /// The place in the base that was to be changed, or nil if the error is not about such a place.
    package var target: PlistPointer? {
        get { fields.target }
        set { fields.target = newValue }
    }
    package var source: PlistPointer? {
        get { fields.source }
        set { fields.source = newValue }
    }
    /// True if the error is about the overlay's value for ``target``, and not about the base's value there.
    package var isAboutOverlay: Bool {
        get { fields.isAboutOverlay }
        set { fields.isAboutOverlay = newValue }
    }
    package var location: PlistLocation? {
        get { fields.location }
        set { fields.location = newValue }
    }
    package var hint: String? { fields.hint }
    /// The first of the other tests of the same target that failed too.
    package var others: [OverlayError] {
        get { fields.others }
        set { fields.others = newValue }
    }

    package init(
        _ code: Code, _ message: String, at target: PlistPointer? = nil, in source: PlistPointer? = nil, hint: String? = nil
    ) {
        fields = Fields(code: code, message: message, target: target, source: source, hint: hint)
    }

    package init(_ error: PlistError, at target: PlistPointer? = nil, in source: PlistPointer? = nil) {
        let code: Code =
            switch error.code {
            case .missing: .missing
            case .ambiguous: .ambiguous
            case .mismatch: .clash
            case .limitExceeded: .limit
            case .unsupported, .notRepresentable: .unsupported
            default: .unreadable
            }
        self.init(code, error.message, at: target, in: source, hint: error.hint)
        location = error.location
    }

    package static func noIdentity(_ text: String) -> OverlayError {
        OverlayError(
            .invalid, "\(PlistString(text).quoted) does not set an identity", hint: "write 'PATTERN=set' or 'PATTERN=keyed(KEY)'")
    }

    /// Returns the same error with the place in the overlay, unless it already has one.
    package func located(in source: PlistPointer) -> OverlayError {
        guard self.source == nil else { return self }
        var error = self
        error.source = source
        return error
    }
}

extension OverlayError: CustomStringConvertible {
    package var description: String { message + (target.map { " (at \($0.isRoot ? "the root" : $0.description))" } ?? "") }
}

/// A remark about something that an overlay did and that is not an error.
package struct OverlayNote: Hashable, Sendable {
    /// The place in the property list, or nil if the note is about the whole overlay.
    package let target: PlistPointer?
    package let message: String
    package let hint: String?
    /// The message, followed by the place unless that is the whole property list.
    package var text: String { message + (target.map { $0.isRoot ? "" : " (at \($0))" } ?? "") }

    package init(_ message: String, at target: PlistPointer? = nil, hint: String? = nil) {
        self.target = target
        self.message = message
        self.hint = hint
    }
}
