import CallbackDomain
import EngineKit
import EventSourcing
import HTTPKit
import JSONEnvelope

@testable import CallbackAPI
@testable import CallbackEngine

/// A callback as it stands at a fixed moment, for what is rendered of it.
enum CallbackSample {
  static let id = "7Q2M0D1K4H9A3L0R00512B80C00001A4"
  static let createdAt = Timestamp(milliseconds: 1_772_355_900_000)  // 2026-03-01T09:05:00Z
  static let expiresAt = Timestamp(milliseconds: 1_772_442_300_000)  // a day later
  static let askedUntil = Timestamp(milliseconds: 1_772_356_800_000)  // 2026-03-01T09:20:00Z

  static var request: CallbackRequest {
    var request = CallbackRequest(serviceName: "callback-voice", userKey: "user-5521")
    request.fields = [NameValuePair("_customer_number", "+49 30 1234"), NameValuePair("subject", "Order 7")]
    return request
  }

  /// - Parameter events: what has happened since it was made.
  static func view(_ request: CallbackRequest = request, after events: [CallbackEvent] = []) throws -> CallbackView {
    var callback = Callback()
    for event in [.created(request, expiresAt: expiresAt, dueAt: nil)] + events {
      callback.evolve(event, at: createdAt)
    }
    guard let view = CallbackView(callback, id: id) else { throw EngineError.callback(.unknown) }
    return view
  }

  /// The customer is being asked.
  static func asked() throws -> CallbackView {
    try view(after: [
      .cameDue, .agentReserved(agentID: "anna", until: nil),
      .confirmationAsked(attempt: 1, until: askedUntil, push: nil),
    ])
  }

  static func dialogs(_ view: CallbackView, language: String? = nil, texts: TextTable = TextTable()) -> CallbackDialogs
  {
    var dialogs = CallbackDialogs(
      view: view, url: ExternalURL(origin: "https://chat.example.test"), texts: texts, language: language)
    dialogs.userHeader = view.request.userKey
    return dialogs
  }

  static func json(_ members: (inout JSONObjectWriter) -> Void) -> String {
    String(decoding: JSONWriter.object(members), as: UTF8.self)
  }
}
