/// Writes property lists in any encoding, canonically: one spelling for each value, the same bytes everywhere.
public enum PlistWriter {
    /// The document of a value.
    ///
    /// Throws `notRepresentable`, with the pointer, for what the encoding can't hold (``PlistConversion`` makes what it can),
    /// and `limitExceeded` for too much output or depth.
    public static func write(
        _ value: PlistValue, as format: PlistFormat, limits: PlistLimits = .standard
    ) throws(PlistError) -> [UInt8] {
        switch format {
        case .xml: try XMLPlistWriter.write(value, limits: limits)
        case .binary: try BinaryPlistWriter.write(value, limits: limits)
        case .json: try JSONPlistWriter.write(value, limits: limits)
        case .openStep: try OpenStepPlistWriter.write(value, limits: limits)
        }
    }
}
