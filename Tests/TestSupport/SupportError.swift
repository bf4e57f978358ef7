/// Something that a test needs is missing on this machine.
package struct SupportError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
