import CapsuleCore
import Testing

@testable import CapsuleSystem

@Suite struct FailedCallTests {
    @Test func theSystemsTextIsToldInLowerCase() {
        let error = CapsuleError(errno: ENOENT, "open", HostPath("x"))
        #expect(error.code == .notFound)
        #expect(error.message == "cannot open: no such file or directory")
        #expect(error.call?.reason == "no such file or directory")
    }

    /// The system's text mentions characters, or an "illegal byte sequence", which does not suggest that the name is the problem.
    @Test func aNameThatIsNotUTF8() {
        let error = CapsuleError(errno: EILSEQ, "create", HostPath([0x61, 0xff]))
        #expect(error.code == .notUTF8)
        #expect(error.message == "cannot create: this file system allows only UTF-8 names")
        #expect(error.at(HostPath("d/x")).code == .notUTF8)
        // For content, the message is another one.
        #expect(CapsuleError(errno: EILSEQ, "sync", HostPath("x")).code == .failure)
    }
}
