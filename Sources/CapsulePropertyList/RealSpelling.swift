/// The canonical spelling of a real: the fewest digits that read back as the same number, laid out as C's `%.17g`
/// does, which is the layout of Apple's writer.
enum RealSpelling {
    /// `%.17g` uses an exponent below 10^-4 and from 10^17 on.
    private static let plainExponents = -4..<17

    static func spell(_ real: Double) -> String {
        if real.isNaN { return "nan" }
        if real.isInfinite { return real < 0 ? "-infinity" : "+infinity" }
        let sign = real.sign == .minus ? "-" : ""
        if real == 0 { return sign + "0.0" }
        let (digits, exponent) = decimal(real.magnitude)
        guard plainExponents.contains(exponent) else {
            let fraction = digits.count > 1 ? "." + String(digits.dropFirst()) : ""
            let size = exponent.magnitude < 10 ? "0\(exponent.magnitude)" : "\(exponent.magnitude)"
            return sign + String(digits.prefix(1)) + fraction + (exponent < 0 ? "e-" : "e+") + size
        }
        if exponent < 0 {
            return sign + "0." + String(repeating: "0", count: -exponent - 1) + digits
        }
        let whole = digits.prefix(exponent + 1)
        let zeros = String(repeating: "0", count: exponent + 1 - whole.count)
        let fraction = digits.dropFirst(exponent + 1)
        return sign + String(whole) + zeros + (fraction.isEmpty ? "" : "." + String(fraction))
    }

    /// The same, but a number has a fraction or an exponent always, so that it can't be taken for an integer.
    static func spellAsReal(_ real: Double) -> String {
        let text = spell(real)
        guard real.isFinite else { return text }
        return text.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "e") } ? text + ".0" : text
    }

    /// The significant digits of a finite number above zero, and the power of ten of the first one.
    private static func decimal(_ real: Double) -> (digits: String, exponent: Int) {
        // Swift's description has the fewest digits, as `D.D`, `0.00D` or `D.DeN`.
        let parts = real.description.split(separator: "e", maxSplits: 1)
        let mantissa = parts.first ?? ""
        let shift = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let halves = mantissa.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = halves.first ?? ""
        let all = whole + (halves.count > 1 ? halves[1] : "")
        let leadingZeros = all.prefix { $0 == "0" }.count
        let significant = all.dropFirst(leadingZeros)
        let trailingZeros = significant.reversed().prefix { $0 == "0" }.count
        return (String(significant.dropLast(trailingZeros)), whole.count - 1 - leadingZeros + shift)
    }
}
