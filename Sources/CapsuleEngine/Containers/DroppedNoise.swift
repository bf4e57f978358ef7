public import CapsuleCore

/// A class of noise that a container is taken in without, as if it had none.
public struct DroppedNoise: Sendable {
    /// Which it is.
    public let noise: NoiseClass
    /// The tree paths that it is made of.
    let paths: [Glob]

    /// - Throws: `usage` for a class that no rule has, or that is not one of paths alone.
    public init(_ noise: NoiseClass, rules: NoiseRules = NoiseRules()) throws(CapsuleError) {
        self.noise = noise
        do throws(OverlayError) {
            paths = try rules.paths(of: noise)
        } catch {
            let known = rules.classesOfPaths.map(\.rawValue)
            throw CapsuleError(
                .usage, "\(error.message): the class must be \(Suggestions.alternatives(known))",
                misspelt: (noise.rawValue, known))
        }
    }

    /// Classes by their names, with commas between.
    ///
    /// - Throws: `usage` for a name that is none.
    public static func list(_ names: String) throws(CapsuleError) -> [DroppedNoise] {
        var found: [DroppedNoise] = []
        for name in names.split(separator: ",", omittingEmptySubsequences: false) {
            let noise = NoiseClass(rawValue: String(name))
            if !found.contains(where: { $0.noise == noise }) { found.append(try DroppedNoise(noise)) }
        }
        return found
    }

    /// The paths of what is in its directories, which stay: an app that is installed expects them.
    var contents: [Glob] { paths.filter { $0.pattern.suffix(3).elementsEqual("/**".utf8) } }

    /// What the manifest says of what is left out for it.
    var reason: String { "dropped: \(noise.rawValue)" }
}
