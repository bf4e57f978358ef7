import CapsulePropertyList

extension Overlay {
    /// The parts that are for one path alone; an overlay without any path is taken as one for it.
    ///
    /// - Throws: `missing` if it has parts with paths, and none with this.
    public func taking(_ path: String) throws(OverlayError) -> Overlay {
        guard let file = try? RelativePath(validating: Array(path.utf8)) else {
            throw OverlayError(
                .invalid, "\(PlistString(path).quoted) is not a path in a container",
                hint: "write it as 'capsule ls' prints it: Library/Preferences/com.example.app.plist")
        }
        var result = self
        if files.isEmpty, !targets.isEmpty, targets.allSatisfy({ $0.path == nil }) {
            // As it was written: a merge patch or a patch is none the less one for that it has a place.
            for number in targets.indices { (result.targets[number].path, result.targets[number].root) = (path, .appData) }
            return result
        }
        result.targets = targets.filter { $0.path == path }
        result.files = files.filter { $0.path == file }
        guard !result.targets.isEmpty || !result.files.isEmpty else {
            let known = Suggestions(for: path, among: targets.compactMap(\.path) + files.map { "\($0.path)" })
            throw OverlayError(.missing, "the overlay has no part for \(PlistString(path).quoted)", hint: known.hint)
        }
        return result
    }
}
