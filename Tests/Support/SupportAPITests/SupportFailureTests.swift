import HTTPKit
import HTTPTypes
import JSONEnvelope
import SupportAPI
import SupportDomain
import SupportEngine
import Testing

@Suite("Refusals of support")
struct SupportFailureTests {
  @Test(
    "each refusal of the engine has its status",
    arguments: [
      (.unknownApp, 403, "unknown_client"), (.identityMismatch, 403, "identity_type_mismatch"),
      (.agentEmail, 403, "agent_identity"), (.replayed, 403, "invalid_identity"), (.notFound, 404, "RecordNotFound"),
      (.invalid(field: "f", reason: "r"), 422, "RecordInvalid"), (.missing(field: "f"), 422, "RecordInvalid"),
      (.request(.unknown), 404, "RecordNotFound"), (.request(.closed), 422, "RecordInvalid"),
      (.request(.tooManyComments(limit: 5_000)), 422, "RecordInvalid"),
      (.request(.notAllowed(field: "tags")), 422, "RecordInvalid"), (.tooLarge(limit: 9), 413, "ContentTooLarge"),
      (.quota("stored records", limit: 9), 429, "TooManyRequests"),
      (.limitReached("x"), 503, "ServiceUnavailable"), (.unavailable, 503, "ServiceUnavailable"),
      (.storageFull, 507, "InsufficientStorage"),
    ] as [(SupportFailure, Int, String)])
  func failures(failure: SupportFailure, status: Int, error: String) throws {
    let failure = failure.failure
    #expect(failure.status.code == status)
    #expect(try JSONValue(parsing: failure.supportBody)["error"] == .string(error))
    #expect((failure.fields[.retryAfter] != nil) == (status == 503))
    #expect(try JSONValue(parsing: failure.body)["code"] == .integer(Int64(status)))
  }
}
