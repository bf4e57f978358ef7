import CapsulePropertyList

extension Overlay.Target {
    /// Finds names in keys: only those in values are expanded, so that the key stays as it is spelled.
    ///
    /// - Returns: a note for each such key, with its place; at most ``DeepMerge/noteLimit``.
    func notesOnUnexpandedKeys() -> [OverlayNote] {
        var pending: [(value: PlistValue, place: PlistPointer)] = merge.map { [($0, .root)] } ?? []
        for operation in operations {
            switch operation.action {
            case .add(let value), .insert(let value), .replace(let value), .merge(let value):
                pending.append((value, operation.path))
            case .union(let elements): pending.append((.array(elements), operation.path))
            case .remove, .move, .copy, .test, .subtract: break
            }
        }
        pending.reverse()
        var notes: [OverlayNote] = []
        // A document may share a container any number of times.
        var left = DeepMerge.visitLimit
        while let (value, place) = pending.popLast(), left > 0, notes.count < DeepMerge.noteLimit {
            left -= 1
            switch value {
            case .array(let elements):
                for (number, element) in elements.enumerated().reversed() where element.isContainer {
                    pending.append((element, place.appending(index: number)))
                }
            case .dictionary(let entries):
                for (key, value) in entries {
                    let inner = place.appending(key)
                    if Self.isReference(key) {
                        notes.append(
                            OverlayNote(
                                "the key \(key.quoted) is not expanded: only values are", at: inner,
                                hint: "write the expanded key"))
                    }
                    if value.isContainer { pending.append((value, inner)) }
                }
            default: break
            }
        }
        return notes
    }

    private static func isReference(_ key: PlistString) -> Bool {
        let bytes = Array(key.utf8)
        return zip(bytes, bytes.dropFirst()).contains {
            $0 == UInt8(ascii: "$") && ($1 == UInt8(ascii: "(") || $1 == UInt8(ascii: "{"))
        }
    }
}

extension PlistValue {
    fileprivate var isContainer: Bool { array != nil || dictionary != nil }
}
