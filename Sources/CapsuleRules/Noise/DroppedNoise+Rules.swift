package import CapsuleCore

extension DroppedNoise {
    /// - Throws: `usage` for a class that no rule has, or that is not defined by paths alone.
    package init(_ noise: NoiseClass, rules: NoiseRules = NoiseRules()) throws(CapsuleError) {
        do throws(OverlayError) {
            self.init(noise, paths: try rules.paths(of: noise))
        } catch {
            let known = rules.classesOfPaths.map(\.rawValue)
            throw CapsuleError(
                .usage, "\(error.message): the class must be \(Suggestions.alternatives(known))",
                misspelt: (noise.rawValue, known))
        }
    }

    package static func list(_ names: String) throws(CapsuleError) -> [DroppedNoise] {
        var found: [DroppedNoise] = []
        for name in names.split(separator: ",", omittingEmptySubsequences: false) {
            let noise = NoiseClass(rawValue: String(name))
            if !found.contains(where: { $0.noise == noise }) { found.append(try DroppedNoise(noise)) }
        }
        return found
    }
}
