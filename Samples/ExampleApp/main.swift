import Foundation

do {
    try ExampleApp().launch()
} catch {
    FileHandle.standardError.write(Data("ExampleApp: error: \(error)\n".utf8))
    exit(1)
}
