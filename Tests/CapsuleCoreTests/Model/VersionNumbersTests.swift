import CapsuleCore
import Testing

@Suite struct VersionNumbersTests {
    @Test(
        arguments: [
            ([1], "version 1", "1"), ([2, 1], "versions 1 and 2", "1,2"), ([3, 2, 1], "versions 1 to 3", "1,2,3"),
            ([9, 7, 4, 3, 2, 1], "versions 1 to 4, 7 and 9", "1,2,3,4,7,9"), ([1, 3, 4], "versions 1, 3 and 4", "1,3,4"),
            ([0, UInt32.max], "versions 0 and 4294967295", "0,4294967295"), ([5, 5], "version 5", "5"),
        ] as [([UInt32], String, String)])
    func theyAreToldInWords(numbers: [UInt32], text: String, list: String) {
        let versions = VersionNumbers(numbers)
        #expect(versions.description == text)
        #expect(versions.list == list)
        #expect(versions.isOne == (Set(numbers).count == 1))
    }
}
