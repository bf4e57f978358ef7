import CapsuleCore
import Testing

@Suite("messages of others")
struct MessageTextTests {
    @Test(arguments: [
        ("Truncated input", "truncated input"), ("A file is missing", "a file is missing"), ("ZIP bad CRC", "ZIP bad CRC"),
        ("UNIQUE constraint failed", "UNIQUE constraint failed"), ("7-Zip entry", "7-Zip entry"), ("", ""), ("I", "I"),
        ("no such file", "no such file"),
    ])
    func namesKeepTheirCase(text: String, message: String) {
        #expect(text.asMessage == message)
    }
}
