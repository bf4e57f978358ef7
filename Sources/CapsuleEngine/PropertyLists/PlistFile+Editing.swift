public import CapsulePropertyList

extension PlistFile {
    /// The value at a place.
    ///
    /// - Throws: where the pointer leads nowhere, with the place as far as it leads.
    public func value(at pointer: PlistPointer) throws(CapsuleError) -> PlistValue {
        do throws(PlistError) {
            return try document.value.value(at: pointer, nested: .compressing)
        } catch {
            throw self.error(error)
        }
    }

    /// The value of the document after an edit.
    public func value(after edit: PlistEdit, at pointer: PlistPointer) throws(CapsuleError) -> PlistValue {
        var value = document.value
        do throws(PlistError) {
            try value.edit(edit, at: pointer, nested: .compressing)
        } catch {
            throw self.error(error)
        }
        return value
    }

    /// What another encoding holds of the value.
    ///
    /// - Throws: for what it can't hold, unless that `isLossy`.
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
}
