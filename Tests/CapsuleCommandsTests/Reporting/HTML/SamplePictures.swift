import Foundation

@testable import CapsuleCore

/// Pictures for pages: a red disc of 96 × 96 pixels and a blue ring of 128 × 128, both PNG with transparency.
enum SamplePictures {
    static let disc = EntryChange.Picture(
        type: "image/png",
        bytes: bytes(
            """
            iVBORw0KGgoAAAANSUhEUgAAAGAAAABgCAYAAADimHc4AAABLUlEQVR42u3dwRECMQwEwYuLCIiXBE0I1BXGK6F+bALTP4qzrtfj
            eVluIgAAYAAAGAAABuDj1o0BOBi7LcqE6KUxpkUvhzE9fBxC+DCE+GEE4cMQ4ocRxA8jiB9GED4MIX4YAcAfAayBKwOwBi8OsCwH
            IP6XCAAaA4i+AUH8MAKAhgAib0QA0AxA3M0IAAAAED+IAAAAAPGDCAAAAAAAAID4IQQAAAAAAAAAAAAAAAAAAAAAAAQ/xgEAAAAA
            gEIAEPwtBYCgYQAI/pwLQNgwAASfKAGA4DNVABDCX8pD8FgHAAgF3guC4M04b8Z5NREAAC/neju6V/gTAF5Pdz+gdvxTAC5ouCFT
            L3wKwBUld8RqhK8A4JKeW5JuSbqmWhjAPWEDAMAAADAAAOw3ewPDCkip/uYVVwAAAABJRU5ErkJggg==
            """))
    static let ring = EntryChange.Picture(
        type: "image/png",
        bytes: bytes(
            """
            iVBORw0KGgoAAAANSUhEUgAAAIAAAACACAYAAADDPmHLAAACQklEQVR42u3dwUHEMAxFQTqhT2rYnqEDLiyOrDcH3xP/WRMSWf74
            /Hp9GN1hEgAwCQAYABgAGAAYAOwb328YAITCTqEQeByE0OMYBB+HIPg4BMHHIQg+DkHwcQjCjyMQfByC8OMIhB9HIPg4BOHHEQg/
            jkD4cQTCjyMQfhyB8OMIhB9HAAAAwi8jEH4cgfDjCADYcf2PAtg+Savvb2v4xRdcAMQ/bR8HoK5uwTzcfuOqmh8CIPwl83LrjdrR
            9CAAwS+ap5tuzFb2AQCEvwzBDTejdc0QAH79C1cBv/74KjD5BrSsGwRA+EsRAACABozLEQAAwN8ACH8xAgAAGHOhxXbtAAAAAACD
            Afj7v/w5wK8/vgoAAAAAAAAAAAAAAAAAAACcvzgneFoBhA8AAAAAAAAAAAAAAAAAANACoB5gKACrgJIwAAAAAAAI7AsAIAoAAptD
            AQAAAv0BAOgCgCDeI0iXMF3C9Am8LPy3A7AKxDuFWgX0CoZg21w5L8B5AU4MWRR85sgYZwY9DACC+Klhzg10bqCTQzfc+7ZJcHbw
            YQCTJ8Tp4YcA3DJJv03e7dcPQHiMAADBpc86lQck4R8CAMFl/+UAAMALgmj4/wkAgktecNVelwr/MAAIhr/arn44Ef5hABAM/bpZ
            /naeD/8JACAMK25RSROvbFJHFy9rU1AZL2xVVRuvalZbHy9nt8MmvpnFHrv4VjabLeObWW25ju9i1nkj3sRCF654AytdOeN9C53a
            GR8mAQCTAIABgAGAERw/N/pduBBMq/4AAAAASUVORK5CYII=
            """))
    /// A GIF of one pixel.
    static let dot = EntryChange.Picture(
        type: "image/gif", bytes: bytes("R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs="))

    private static func bytes(_ base64: String) -> [UInt8] {
        [UInt8](Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data())
    }
}
