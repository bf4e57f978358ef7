import Testing

@testable import CapsulePropertyList

@Suite struct CivilTimeTests {
    /// Both epochs give the same calendar.
    @Test(arguments: [-63_145_526_400, -978_307_200, -978_307_201, -1, 0, 1, 86_399, 86_400, 252_423_993_599])
    func epochsAgree(seconds: Int) {
        let time = CivilTime(secondsSince2001: seconds)
        #expect(time == CivilTime(secondsSince1970: seconds + 978_307_200))
        #expect(time.secondsSince2001 == seconds)
    }

    /// No number of seconds causes a trap.
    @Test(arguments: [Int.min, Int.min + 1, Int.max - 1, Int.max]) func everyIntIsATime(seconds: Int) {
        for time in [CivilTime(secondsSince1970: seconds), CivilTime(secondsSince2001: seconds)] {
            #expect((1...12).contains(time.month) && (1...31).contains(time.day))
            #expect((0...23).contains(time.hour) && (0...59).contains(time.minute) && (0...59).contains(time.second))
        }
    }
}
