// As much of SwiftUI as samples use.

@MainActor
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension View where Body == Never {
    public var body: Never { fatalError("no view is shown on Linux") }
}

extension Never: View {
    public typealias Body = Never
}

public struct Text: View {
    public typealias Body = Never
    public init(_ text: String) {}
}

public struct Either<First: View, Second: View>: View {
    public typealias Body = Never
}

@resultBuilder
public enum ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildEither<First: View, Second: View>(first: First) -> Either<First, Second> { Either() }
    public static func buildEither<First: View, Second: View>(second: Second) -> Either<First, Second> { Either() }
}

@MainActor
public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder static var previews: Previews { get }
}
