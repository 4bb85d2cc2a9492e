import EventSourcing
import HTTP2Client
import JSONEnvelope
import NIOHPACK
import PushDomain
import Synchronization

@testable import PushProviders

/// The moment at which the pushes of these tests happen.
let mobileNow = Timestamp(milliseconds: 1_800_000_000_000)

enum MobileSamples {
  static let serviceID = "412-0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2"
  static let pushID = "6f9c1c1e-8a35-4c3e-9d0b-5a4f2b8f8f10"
  static let deviceToken = String(repeating: "ab", count: 32)
  static let compact = #"{"message":"New message from Agent","serviceId":"412-0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2"}"#
  static let chat: String =
    String(compact.dropLast())
    + #","lastTranscript":[{"Message.Text":"Are you still there?"},{"Message.Text":"I have found your order."}]}"#
  static let callback =
    #"{"_id":"7Q2M0D1K4H9A3L0R00512B80C00001A4","_action":"get-dialog-user-confirmation-provide_code-false"}"#

  static func message(
    _ target: PushAddress, alert: String = "New message from Agent", content: String? = nil, compact: String? = nil,
    expiry: Timestamp? = nil, collapseKey: String? = nil, priority: PushPriority = .high, isNowOrNever: Bool = false,
    display: PushDisplay? = nil, form: PushContentForm = .message
  ) -> PushMessage {
    let compactText: String? = compact ?? (content == nil ? Self.compact : nil)
    return PushMessage(
      producer: serviceID, number: 1, tag: "chat.newagentmessage", alert: alert, content: Array((content ?? chat).utf8),
      compactContent: compactText.map { Array($0.utf8) }, service: "request-chat", target: target, expiry: expiry,
      collapseKey: collapseKey, priority: priority, isNowOrNever: isNowOrNever, display: display, form: form)
  }

  static func ios(
    _ token: String = deviceToken, provider: String? = nil, debug: Bool = false
  ) -> PushAddress {
    PushAddress(type: "ios", deviceID: token, provider: provider, debug: debug)
  }

  static func delivery(
    _ message: PushMessage, _ options: [String: String] = [:], attempt: Int = 1, now: Timestamp = mobileNow
  ) -> PushDelivery {
    PushDelivery(message: message, id: pushID, attempt: attempt, options: PushOptions(options), now: now)
  }

  static func display(_ change: (inout PushDisplay) -> Void) -> PushDisplay {
    var display = PushDisplay()
    change(&display)
    return display
  }
}

/// An HTTP/2 client that answers as it is told, and 200 when there is nothing left to tell.
final class ScriptedHTTP2: HTTP2Sending {
  private struct State {
    var outcomes: [HTTP2Outcome] = []
    var requests: [HTTP2Request] = []
    var retired: [HTTP2ConnectionID] = []
    var closings = 0
  }

  private let state = Mutex(State())

  init(_ outcomes: [HTTP2Outcome] = []) { state.withLock { $0.outcomes = outcomes } }

  func send(_ request: HTTP2Request) async -> HTTP2Outcome {
    state.withLock { state in
      state.requests.append(request)
      return state.outcomes.isEmpty ? .answer(200) : state.outcomes.removeFirst()
    }
  }

  func retire(_ connection: HTTP2ConnectionID) { state.withLock { $0.retired.append(connection) } }
  func close() async { state.withLock { $0.closings += 1 } }
  var load: HTTP2Load { HTTP2Load(connections: 1, streams: 2) }
  var certificateEnd: Timestamp? { nil }

  var requests: [HTTP2Request] { state.withLock { $0.requests } }
  var retired: [HTTP2ConnectionID] { state.withLock { $0.retired } }
  var closings: Int { state.withLock { $0.closings } }
  func tell(_ outcomes: [HTTP2Outcome]) { state.withLock { $0.outcomes += outcomes } }
}

extension HTTP2Outcome {
  static func answer(
    _ status: Int, _ body: String = "", headers: [(String, String)] = [], connection: UInt64 = 1
  ) -> HTTP2Outcome {
    .answered(
      HTTP2Response(
        status: status, headers: HPACKHeaders(headers), body: Array(body.utf8),
        connection: HTTP2ConnectionID(connection)))
  }

  static func reason(_ status: Int, _ reason: String, connection: UInt64 = 1) -> HTTP2Outcome {
    answer(status, #"{"reason":"\#(reason)"}"#, connection: connection)
  }
}

/// Counts what is made of it.
final class ScriptedClients: Sendable {
  private let made = Mutex<[ScriptedHTTP2]>([])
  var all: [ScriptedHTTP2] { made.withLock { $0 } }

  func make() -> any HTTP2Sending {
    let client = ScriptedHTTP2()
    made.withLock { $0.append(client) }
    return client
  }
}

/// A store that lives as long as the test.
final class MemoryTokenStore: ProviderTokenStore {
  private let tokens = Mutex<[String: StoredProviderToken]>([:])

  func load(_ name: String) -> StoredProviderToken? { tokens.withLock { $0[name] } }
  func save(_ token: StoredProviderToken, as name: String) { tokens.withLock { $0[name] = token } }
  var all: [String: StoredProviderToken] { tokens.withLock { $0 } }
}

extension [UInt8] {
  var text: String { String(decoding: self, as: UTF8.self) }
}
