import HTTPKit
import HTTPTypes
import JSONEnvelope
import StandbyWire
import Testing

@testable import StandbyAPI

@Suite("How a primary says no")
struct StandbyRefusalTests {
  @Test("a standby reads the reason from the answer", arguments: StandbyRefusal.allCases)
  func reasons(refusal: StandbyRefusal) throws {
    let failure = refusal.failure
    #expect(failure.status.code == refusal.status)
    #expect(StandbyRefusal(parsing: failure.body) == refusal)
    #expect(try JSONValue(parsing: failure.body)["code"]?.integer == refusal.status)
    #expect((failure.retryAfter != nil) == (refusal.status == 503))
  }

  @Test(
    "what is below the standbys' path is told apart from all else",
    arguments: [
      (StandbyRoute.stream, true), (StandbyRoute.manifest + "?after=x", true), (StandbyRoute.file, true),
      (StandbyRoute.acknowledgement, true), ("/admin/1/standbys", false), ("/admin/1/standby", false), ("/", false),
    ])
  func paths(target: String, isTaken: Bool) { #expect(StandbyRoutes.takes(target) == isTaken) }
}
