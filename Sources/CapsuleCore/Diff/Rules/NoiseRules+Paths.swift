extension NoiseRules {
    /// The class that paths alone decide, for what is no change: an entry that may be left out. nil if it is no noise, or
    /// what decides is not its path.
    public func noise(at path: RelativePath) -> NoiseClass? {
        for number in paths.candidates(for: path).reversed() where rules[number].match.isAboutPathsAlone {
            return rules[number].noise == .signal ? nil : rules[number].noise
        }
        return nil
    }

    /// The paths that a class is made of, the directories themselves among them, for what leaves noise out.
    ///
    /// - Throws: `invalid` for a class that no rule has, or that has no rules of paths alone.
    public func paths(of noise: NoiseClass) throws(OverlayError) -> [Glob] {
        let ofClass = rules.filter { $0.noise == noise }
        let globs = ofClass.filter(\.match.isAboutPathsAlone).compactMap(\.match.path)
        guard globs.isEmpty else { return globs.flatMap { [$0] + ($0.directory.map { [$0] } ?? []) } }
        let known = classesOfPaths.map(\.rawValue)
        let isKnown = !ofClass.isEmpty || classes.contains { $0.name == noise }
        throw OverlayError(
            .invalid, isKnown ? "the class '\(noise.rawValue)' has no path rules" : "there is no class '\(noise.rawValue)'",
            hint: (isKnown ? nil : Suggestions(for: noise.rawValue, among: known).hint)
                ?? "there are \(Suggestions.alternatives(known))")
    }

    /// The classes that have rules of paths alone, each once, in the order of the rules.
    public var classesOfPaths: [NoiseClass] {
        var found: [NoiseClass] = []
        for rule in rules where rule.match.isAboutPathsAlone && rule.match.path != nil && rule.noise != .signal {
            if !found.contains(rule.noise) { found.append(rule.noise) }
        }
        return found
    }
}

extension Glob {
    /// The directory of a pattern for all that is in one, `X/**`.
    fileprivate var directory: Glob? {
        let deep = Array("/**".utf8)
        guard pattern.count > deep.count, pattern.suffix(deep.count).elementsEqual(deep) else { return nil }
        return try? Glob(Array(pattern.dropLast(deep.count)))
    }
}
