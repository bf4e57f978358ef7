package import CapsuleCore
import CapsulePropertyList

extension Overlay {
    /// The overlay must record the old values: a `test` before each `replace` and `remove`, as `diff` writes them. A target without
    /// old values is left out if the record of its file has the contents before and after.
    ///
    /// - Throws: `unsupported`, with the place, for a change that does not record what it replaced.
    package func inverted() throws(OverlayError) -> Overlay {
        guard form == .document || form == .patch else {
            throw OverlayError(
                .unsupported, "a partial property list does not record the old values",
                hint: "'diff A B --overlay' writes an overlay that can be inverted")
        }
        var result = self
        result.targets = []
        let records = try FileRecordSet(files)
        for (number, record) in records.records.enumerated() {
            guard let part = record.unsaidOld else { continue }
            throw OverlayError(
                .unsupported,
                "the record of \(PlistString(record.path.description).quoted) lacks the old \(part)",
                in: PlistPointer(steps: ["Files", PlistString(String(number))]),
                hint: "'diff A B --overlay' writes an overlay that can be inverted")
        }
        result.files = records.records.map(\.inverted)
        for (number, target) in targets.enumerated().reversed() {
            do throws(OverlayError) {
                result.targets.append(try target.inverted(ArrayIdentities(arrays)))
            } catch {
                // The record restores the whole file if it has the exact new content. A file that differs elsewhere can't be
                // restored.
                if let path = target.literalPath, let record = records[path], record.old?.content != nil,
                    record.new?.content != nil
                {
                    continue
                }
                throw error.located(in: PlistPointer(steps: targets.count > 1 ? ["Targets", PlistString(String(number))] : []))
            }
        }
        return result
    }
}

extension Overlay.Target {
    fileprivate func inverted(_ identities: ArrayIdentities) throws(OverlayError) -> Overlay.Target {
        guard merge == nil, remove.isEmpty, encode == nil, create == nil else {
            let key = merge != nil ? "Merge" : !remove.isEmpty ? "Remove" : encode != nil ? "Encode" : "Create"
            throw OverlayError(
                .unsupported, "'\(key)' does not record the old values",
                hint: "write operations, with a 'test' for each old value")
        }
        var result = self
        result.operations = []
        var number = operations.count - 1
        while number >= 0 {
            let operation = operations[number]
            let before = number > 0 ? operations[number - 1] : nil
            var old = before?.tested(at: operation.path, operation.conditions)
            // A test of an equal element after the `add` shows that it inserts into an array. The test before it is then of another
            // element.
            if case .add(let new) = operation.action, number + 1 < operations.count,
                operations[number + 1].testsDuplicate(of: new, at: operation.path, identities)
            {
                old = nil
            }
            let hasDuplicateElement = number > 1 && operations[number - 2].testsDuplicate(of: old, at: operation.path, identities)
            let (inverse, taken) = try operation.inverse(old: old, hasDuplicateElement: hasDuplicateElement, number)
            result.operations += inverse
            number -= taken
        }
        return result
    }
}

extension PlistOperation {
    fileprivate func tested(at place: PlistPointer, _ conditions: [Condition]) -> PlistValue? {
        guard case .test(let value) = action, path == place, self.conditions == conditions else { return nil }
        return value
    }

    /// Returns true if the operation tests that another element of the same array is equal, or has the same value for a key.
    fileprivate func testsDuplicate(of element: PlistValue?, at place: PlistPointer, _ identities: ArrayIdentities) -> Bool {
        guard case .test(let value) = action, let element, let array = place.parent, path.isAtOrBelow(array) else {
            return false
        }
        let rest = path.steps.dropFirst(array.steps.count)
        guard let other = rest.first, let own = place.last, other != own, other.isIndex, own.isIndex else { return false }
        if rest.count == 1 { return value == element }
        guard rest.count == 2, let key = rest.last, let own = element.dictionary?[key] else { return false }
        if own == value { return true }
        guard case .keyed(_, _, ignoresCase: true)? = try? identities.identity(at: array.steps) else { return false }
        return own.string != nil && own.string?.string.lowercased() == value.string?.string.lowercased()
    }

    /// Returns the operations that undo this one, and the number of operations that they undo: two if there is a test before it.
    ///
    /// - Parameter hasDuplicateElement: true if the overlay tests for another element that `insert` would mistake for the removed one.
    fileprivate func inverse(old: PlistValue?, hasDuplicateElement: Bool, _ number: Int) throws(OverlayError) -> (
        [PlistOperation], taken: Int
    ) {
        func make(_ action: Action, _ path: PlistPointer) -> PlistOperation { PlistOperation(action, at: path, when: conditions) }
        switch action {
        case .test:
            return ([self], 1)
        case .replace(let new):
            guard let old else { throw Self.unguarded(self, number) }
            return ([make(.test(new), path), make(.replace(old), path)], 2)
        case .remove:
            guard let old else { throw Self.unguarded(self, number) }
            return ([make(hasDuplicateElement ? .add(old) : .insert(old), path)], 2)
        case .insert(let new):
            try checkPlace(number)
            return ([make(.test(new), path), make(.remove, path)], 1)
        case .add(let new):
            try checkPlace(number)
            guard let old else { return ([make(.test(new), path), make(.remove, path)], 1) }
            // In an array, `add` inserts before the tested element. In a dictionary, it replaces the tested value.
            guard path.last?.isIndex == false else {
                throw OverlayError(
                    .unsupported, "'add' at '\(path)' may insert or replace", in: Self.source(number),
                    hint: "write 'replace', or remove the 'test'")
            }
            return ([make(.test(new), path), make(.replace(old), path)], 2)
        case .move(let from):
            for place in [from, path] {
                guard place.last != "-", place.last?.utf8.first != UInt8(ascii: "[") else {
                    throw OverlayError(
                        .unsupported, "'move' does not record the index of '\(place)'", in: Self.source(number),
                        hint: "write the index")
                }
            }
            // The value replaced the container that it was in, or was inserted before that container.
            guard !from.isAtOrBelow(path) else {
                throw OverlayError(
                    .unsupported, "'move' of '\(from)' to '\(path)' does not record the old value", in: Self.source(number),
                    hint: "'apply --undo' writes an undo file")
            }
            return ([PlistOperation(.move(from: path), at: from, when: conditions)], 1)
        case .copy, .merge, .union, .subtract:
            throw OverlayError(
                .unsupported, "'\(action.name)' does not record the old values", in: Self.source(number),
                hint: "'diff A B --overlay' writes an overlay that can be inverted")
        }
    }

    /// Throws if the path ends in `-` or a selector, because it names another place afterwards.
    private func checkPlace(_ number: Int) throws(OverlayError) {
        guard let last = path.last, last != "-", last.utf8.first != UInt8(ascii: "[") else {
            throw OverlayError(
                .unsupported, "'\(action.name)' at '\(path)' does not record the index", in: Self.source(number),
                hint: "write the index")
        }
    }

    private static func unguarded(_ operation: PlistOperation, _ number: Int) -> OverlayError {
        OverlayError(
            .unsupported, "'\(operation.action.name)' at '\(operation.path)' does not record the old value",
            in: source(number), hint: "add a 'test' of the old value right before it")
    }

    private static func source(_ number: Int) -> PlistPointer {
        PlistPointer(steps: ["Operations", PlistString(String(number))])
    }
}
