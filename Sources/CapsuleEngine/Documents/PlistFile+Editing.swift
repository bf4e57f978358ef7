import CapsuleArchive
public import CapsuleCore
public import CapsulePropertyList

extension PlistFile {
    /// A change at one place of the document.
    public enum Edit: Sendable {
        /// Sets a dictionary's key or an array's element, or appends at an array's end.
        case set(PlistValue)
        /// Adds a key that a dictionary does not have, or inserts into an array before the place.
        case add(PlistValue)
        /// Appends to the array at the place.
        case append(PlistValue)
        /// Removes the value at the place.
        case remove
    }

    /// The result of an edit.
    public struct EditResult: Sendable {
        /// The new value of the document.
        public let value: PlistValue
        /// Notes on a type that changes, with its place.
        public let notes: [OverlayNote]
    }

    /// Returns the value at a place.
    ///
    /// - Throws: `CapsuleError` if there is no such place, with the deepest place that exists and keys that may have been
    ///   meant.
    public func value(at pointer: PlistPointer) throws(CapsuleError) -> PlistValue {
        do throws(PlistError) {
            return try document.value.value(at: pointer, nested: .compressing)
        } catch {
            throw self.error(error.suggestingKeys(of: document.value, nested: .compressing))
        }
    }

    /// Returns the value of the document after an edit.
    ///
    /// - Parameters:
    ///   - edit: the change to make.
    ///   - pointer: the place.
    ///   - createsParents: true to create the missing dictionaries and arrays around a new value.
    /// - Throws: `CapsuleError` if there is no such place, for a key to add that exists, and for a value to append to that is
    ///   not an array.
    public func value(
        after edit: Edit, at pointer: PlistPointer, createsParents: Bool = false
    ) throws(CapsuleError) -> EditResult {
        var value = document.value
        do throws(PlistError) {
            let (place, change) = try operation(of: edit, at: pointer)
            let target = createsParents ? try value.createParents(of: place, nested: .compressing) : place
            if case .add = edit { try refuseExisting(target, in: value) }
            let notes = change.new.map { Self.notes(on: $0, at: target, in: value, change) } ?? []
            try value.edit(change, at: target, nested: .compressing)
            return EditResult(value: value, notes: notes)
        } catch {
            var error = error.suggestingKeys(of: document.value, nested: .compressing)
            if !createsParents, error.code == .missing, let hint = hintAtParents(of: pointer, edit) {
                error.hint = error.hint.map { $0 + ($0.last == "?" ? " " : "; ") + hint } ?? hint
            }
            throw self.error(error)
        }
    }

    /// Returns the place of an edit and the operation there.
    private func operation(of edit: Edit, at pointer: PlistPointer) throws(PlistError) -> (PlistPointer, PlistEdit) {
        switch edit {
        case .set(let new): return (pointer, .set(new))
        case .add(let new): return (pointer, .add(new))
        case .remove: return (pointer, .remove)
        case .append(let new):
            let end = pointer.appending("-")
            guard let found = try? document.value.value(at: pointer, nested: .compressing), found.array == nil else {
                return (end, .add(new))
            }
            throw PlistError.noArray(found, at: pointer)
        }
    }

    /// Throws if a dictionary already has the key. In an array, the existing value moves on.
    private func refuseExisting(_ pointer: PlistPointer, in value: PlistValue) throws(PlistError) {
        guard let parent = pointer.parent, try value.value(at: parent, nested: .compressing).array == nil,
            (try? value.value(at: pointer, nested: .compressing)) != nil
        else { return }
        throw PlistError.exists(at: pointer)
    }

    /// Returns notes on a changed type. `apply` reports the same for a merge that changes a type.
    private static func notes(
        on new: PlistValue, at pointer: PlistPointer, in value: PlistValue, _ edit: PlistEdit
    ) -> [OverlayNote] {
        guard case .set = edit, let old = try? value.value(at: pointer, nested: .compressing),
            let change = old.typeChange(to: new)
        else { return [] }
        return [OverlayNote(change, at: pointer)]
    }

    /// Returns the hint for a missing key, if what is missing can be created.
    private func hintAtParents(of pointer: PlistPointer, _ edit: Edit) -> String? {
        var copy = document.value
        var place = pointer
        switch edit {
        case .remove: return nil
        case .append: place = pointer.appending("-")
        case .set, .add: break
        }
        guard let parent = place.parent, (try? copy.value(at: parent, nested: .compressing)) == nil,
            (try? copy.createParents(of: place, nested: .compressing)) != nil
        else { return nil }
        return "'--create-parents' creates what is missing"
    }

    /// Returns the part of the value that another encoding can hold.
    ///
    /// - Throws: `CapsuleError` for a value that can't be converted even if `isLossy`. If not `isLossy`, the value is returned
    ///   unchanged.
    public func converted(
        to format: PlistFormat, isLossy: Bool
    ) throws(CapsuleError) -> (value: PlistValue, notes: [PlistError]) {
        guard isLossy else { return (document.value, []) }
        do throws(PlistError) {
            let conversion = try PlistConversion(of: document.value, to: format)
            return (conversion.value, conversion.notes)
        } catch {
            throw self.error(error)
        }
    }

    /// Returns a note on a place of the document as an error with this place.
    public func warning(_ note: OverlayNote) -> CapsuleError { CapsuleError(note, in: self) }
}

extension PlistEdit {
    /// The value that the edit writes.
    fileprivate var new: PlistValue? {
        switch self {
        case .add(let new), .set(let new), .replace(let new): new
        case .remove, .transform: nil
        }
    }
}

extension NestedCoding {
    /// The greatest number of bytes that compressed data may expand to.
    private static let inflatedBytes = 1 << 28

    /// The coding of all nested documents that pointers can select in, including `<zlib>`.
    public static let compressing = NestedCoding(
        inflate: { data, limit in CompressedData.inflate(data, limit: min(limit, inflatedBytes)) },
        deflate: { bytes, data in CompressedData.deflate(bytes, like: data) })
}
