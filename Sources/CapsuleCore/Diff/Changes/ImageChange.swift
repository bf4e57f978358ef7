/// What differs between two images as their headers tell it.
public struct ImageChange: Hashable, Sendable {
    /// One side.
    public struct Side: Hashable, Sendable {
        /// `png`, `jpeg`, `gif` or `heic`.
        public var format: String
        /// nil where the header does not tell.
        public var width: UInt32?
        /// In pixels, as ``width`` is.
        public var height: UInt32?
        /// The file's length.
        public var bytes: UInt64

        /// An image's header.
        public init(format: String, width: UInt32?, height: UInt32?, bytes: UInt64) {
            self.format = format
            self.width = width
            self.height = height
            self.bytes = bytes
        }
    }

    /// The older image.
    public var old: Side
    /// The newer image.
    public var new: Side

    /// The difference of two images.
    public init(old: Side, new: Side) {
        self.old = old
        self.new = new
    }
}
