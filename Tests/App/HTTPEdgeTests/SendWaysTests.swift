import PushDomain
import Testing

@testable import HTTPEdge

/// The fast way and the slow one: a request of a key in test mode always takes the slow one, since a script may say that
/// its answer takes long.
@Suite("What app servers are answered, on a lane and by a task", .timeLimit(.minutes(5)))
struct SendWaysTests {
  private struct Case {
    var path = "/gcm/send"
    var type = "application/json"
    var authorization: String?
    /// `TOKEN` stands for the device's.
    let body: String
    /// Nil for what other tests say.
    var status: Int?
  }

  private static let long = String(repeating: "x", count: 4_200)
  private static let v1Path = "/v1/projects/\(SendRig.sender)/messages:send"

  private static let cases: [Case] = legacy + forms + v1 + strangers

  private static let legacy: [Case] = [
    Case(body: #"{"to":"TOKEN","data":{"a":"b"}}"#, status: 200),
    Case(body: #"{"registration_ids":["TOKEN"]}"#, status: 200),
    Case(body: #"{"registration_ids":["TOKEN","nobody","TOKEN"]}"#, status: 200),
    Case(body: #"{"to":"TOKEN","dry_run":true}"#, status: 200),
    Case(body: #"{"to":"TOKEN","time_to_live":0}"#, status: 200),
    Case(body: #"{"to":"nobody"}"#, status: 200),
    Case(body: #"{"registration_ids":["nobody"]}"#, status: 200),
    Case(body: #"{"to":"TOKEN","restricted_package_name":"com.example.other"}"#, status: 200),
    Case(body: #"{"to":"TOKEN","data":{"a":"\#(long)"}}"#, status: 200),
    Case(body: #"{"to":"TOKEN","data":{"from":"x"}}"#, status: 200),
    Case(body: #"{"to":"TOKEN","time_to_live":-1}"#, status: 200),
    Case(body: #"{"to":"/topics/news"}"#, status: 200),
    Case(body: #"{"condition":"'a' in topics && !('b' in topics)"}"#, status: 200),
    Case(body: "", status: 400), Case(body: "{", status: 400), Case(body: "[]", status: 400),
    Case(body: #"{"to":3}"#, status: 400),
    Case(body: #"{"registration_ids":[]}"#, status: 400),
    Case(body: #"{"registration_ids":"one"}"#, status: 400),
    Case(body: #"{"to":"TOKEN","registration_ids":["TOKEN"]}"#, status: 400),
    Case(body: #"{"to":"TOKEN","priority":"urgent"}"#, status: 400),
    Case(body: #"{"to":"TOKEN","time_to_live":"1"}"#, status: 400),
    Case(body: #"{"to":"/topics/!"}"#, status: 400),
    Case(body: #"{"condition":"'a' in"}"#, status: 400),
  ]

  private static let forms: [Case] = [
    "registration_id=TOKEN&data.a=b", "registration_id=nobody", "registration_id=", "data.a=b", "",
    "registration_id=TOKEN&time_to_live=x", "registration_id=TOKEN&dry_run=1",
  ].map { Case(type: "application/x-www-form-urlencoded", body: $0) }

  private static let v1: [Case] = [
    Case(path: v1Path, body: #"{"message":{"token":"TOKEN","data":{"a":"b"}}}"#, status: 200),
    Case(path: v1Path, body: #"{"message":{"token":"TOKEN"},"validate_only":true}"#, status: 200),
    Case(path: v1Path, body: #"{"message":{"token":"nobody"}}"#, status: 400),
    Case(path: v1Path, body: #"{"message":{}}"#, status: 400),
    Case(path: v1Path, body: #"{"message":null}"#, status: 400),
    Case(path: v1Path, body: "{", status: 400),
    Case(path: v1Path, body: #"{"message":{"token":"TOKEN","x":1}}"#, status: 400),
    Case(path: v1Path, body: #"{"message":{"token":"TOKEN","android":{"ttl":"1"}}}"#, status: 400),
  ]

  private static let strangers: [Case] = [
    Case(authorization: "", body: #"{"to":"TOKEN"}"#, status: 401),
    Case(authorization: "key=wrong", body: #"{"to":"TOKEN"}"#, status: 401),
    Case(path: v1Path, authorization: "Bearer wrong", body: #"{"message":{"token":"TOKEN"}}"#, status: 401),
  ]

  @Test("each answer is the same but for its numbers")
  func answers() async throws {
    try await SendRig.run { fast in
      try await SendRig.run(isTest: true) { slow in
        for call in Self.cases {
          let (one, other) = (try await Self.answer(call, fast), try await Self.answer(call, slow))
          #expect(one == other, "\(call.body.prefix(80))")
          if let status = call.status { #expect(one.status == status, "\(call.body.prefix(80)): \(one)") }
        }
      }
    }
  }

  private struct Answer: Equatable {
    let status: Int
    let type: String?
    let retryAfter: String?
    let words: [String]
  }

  private static func answer(_ call: Case, _ rig: SendRig) async throws -> Answer {
    let body = call.body.replacing("TOKEN", with: rig.token)
    let response = try await rig.send(body, path: call.path, type: call.type, authorization: call.authorization)
    return Answer(
      status: response.status, type: response.header("Content-Type"), retryAfter: response.header("Retry-After"),
      words: words(of: response.body))
  }

  /// Without those that have digits in them: ids are nobody else's.
  private static func words(of text: String) -> [String] {
    text.split { !$0.isLetter && !$0.isNumber }.filter { !$0.contains(where: \.isNumber) }.map(String.init)
  }

  @Test("a message that was answered for is in the device's mailbox, whichever way it came, and in order")
  func order() async throws {
    for isTest in [false, true] {
      try await SendRig.run(isTest: isTest) { rig in
        for number in 1...20 {
          #expect(try await rig.send(#"{"to":"\#(rig.token)","data":{"number":"\#(number)"}}"#).status == 200)
        }
        let box = try await rig.connect()
        for number in 1...20 {
          #expect(await box.next()?.pairs.first { $0.key == "number" }?.value == String(number))
        }
      }
    }
  }
}
