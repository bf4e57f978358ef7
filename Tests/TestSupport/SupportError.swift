/// Something that a test needs and the machine did not give.
package struct SupportError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
