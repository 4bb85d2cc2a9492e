import CallbackDomain
import CallbackEngine
import EngineKit
import EventSourcing
import HTTPKit
import HTTPTypes
import Testing

@testable import CallbackAPI

@Suite("Refusals of callbacks")
struct CallbackFailureTests {
  @Test(
    "each has its status and its exception",
    arguments: [
      (CallbackRejection.unknown, 404, "CallbackNotFoundException"), (.exists, 409, "CallbackExistsException"),
      (.finished, 400, "CallbackEndedException"), (.wrongState(.routing), 409, "CallbackStateException"),
      (.notYours, 409, "CallbackStateException"), (.tooManyFields(limit: 64), 400, "MalformedRequestException"),
      (.tooLong(field: "subject", limit: 8), 400, "InvalidParameterException"),
      (.invalid(field: "reason", reason: "is none"), 400, "InvalidParameterException"),
    ])
  func statuses(_ rejection: CallbackRejection, status: Int, exception: String) {
    let failure = EdgeFailure(EngineError.callback(rejection))
    #expect(failure.status.code == status)
    #expect(failure.exception == exception)
  }

  @Test("a refused time says when there is room, in that order")
  func refusedTime() {
    let nine = Timestamp(milliseconds: 1_772_442_000_000)
    let slots = [FreeSlot(start: nine, free: 4), FreeSlot(start: nine.advanced(by: .seconds(300)), free: 4)]
    #expect(
      String(decoding: EdgeFailure(EngineError.refused(NoSlot(alternatives: slots))).body, as: UTF8.self)
        == #"{"message":"The requested time is not available","exception":"SlotUnavailableException","#
        + #""error":"SLOT_UNAVAILABLE","availability":{"2026-03-02T09:00:00.000Z":4,"2026-03-02T09:05:00.000Z":4}}"#)
  }

  @Test("a query has a condition for each parameter, and ! negates")
  func query() throws {
    var parameters = RequestParameters()
    for (name, value) in [("_verbose", "true"), ("_customer_number", "1"), ("colour", "!red")] {
      try parameters.set(name, value)
    }
    #expect(parameters.callbackFields == [NameValuePair("_customer_number", "1"), NameValuePair("colour", "!red")])
    let query = try CallbackQuery(parameters, service: nil)
    #expect(
      query.conditions == [
        CallbackQuery.Condition(name: "_customer_number", value: "1"),
        CallbackQuery.Condition(name: "colour", value: "red", isNegated: true),
      ])
  }
}
