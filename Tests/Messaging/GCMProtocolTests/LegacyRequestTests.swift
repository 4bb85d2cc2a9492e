import GCMProtocol
import JSONEnvelope
import PushDomain
import Testing

@Suite("A legacy JSON request")
struct LegacyRequestTests {
  private static func read(_ json: String) throws(DownstreamRefusal) -> DownstreamRequest {
    try DownstreamRequest(json: Array(json.utf8))
  }

  private static func refusal(_ json: String) -> DownstreamRefusal? {
    do throws(DownstreamRefusal) {
      _ = try read(json)
      return nil
    } catch {
      return error
    }
  }

  @Test("hands numbers on with every digit")
  func digits() throws {
    let request = try DownstreamRequest(
      json: Array(#"{"to":"t","data":{"a":9007199254740993,"b":18446744073709551616,"c":[-9223372036854775809]}}"#.utf8)
    )
    #expect(
      request.data == [
        MailPair("a", "9007199254740993"), MailPair("b", "18446744073709551616"),
        MailPair("c", "[-9223372036854775809]"),
      ])
  }

  @Test("has each field of the table, with its default", arguments: fields)
  func field(_ row: Field) throws {
    var expected = DownstreamRequest(target: .recipient("t"))
    row.change(&expected)
    #expect(try Self.read(#"{"to":"t"\#(row.json.isEmpty ? "" : ",")\#(row.json)}"#) == expected)
  }

  struct Field: Sendable, CustomTestStringConvertible {
    let json: String
    let change: @Sendable (inout DownstreamRequest) -> Void
    init(_ json: String, _ change: @escaping @Sendable (inout DownstreamRequest) -> Void) {
      (self.json, self.change) = (json, change)
    }
    var testDescription: String { json }
  }

  static let fields = [
    Field("") { _ in },
    Field(#""collapse_key":"k""#) { $0.collapseKey = "k" },
    Field(#""collapse_key":"""#) { _ in },
    Field(#""collapse_key":null"#) { _ in },
    Field(#""priority":"high""#) { $0.priority = .high },
    Field(#""priority":"normal""#) { $0.priority = .normal },
    Field(#""content_available":true"#) { $0.contentAvailable = true },
    Field(#""mutable_content":true"#) { $0.mutableContent = true },
    Field(#""delay_while_idle":true"#) { $0.delayWhileIdle = true },
    Field(#""time_to_live":0"#) { $0.timeToLive = 0 },
    Field(#""time_to_live":2419200"#) { $0.timeToLive = 2_419_200 },
    Field(#""time_to_live":3.0"#) { $0.timeToLive = 3 },
    Field(#""restricted_package_name":"com.example""#) { $0.restrictedPackageName = "com.example" },
    Field(#""dry_run":true"#) { $0.isDryRun = true },
    Field(#""delivery_receipt_requested":true"#) { $0.wantsReceipt = true },
    Field(#""surprise":{"deep":[1]}"#) { _ in },
    Field(#""data":{"Nick":"Mario","body":"great match!","Room":"PortugalVSDenmark"}"#) {
      $0.data = [MailPair("Nick", "Mario"), MailPair("body", "great match!"), MailPair("Room", "PortugalVSDenmark")]
    },
    Field(#""data":{"n":5,"f":1.5,"t":true,"z":null,"a":[1,"x"],"o":{"k":"v"}}"#) {
      $0.data = [
        MailPair("n", "5"), MailPair("f", "1.5"), MailPair("t", "true"), MailPair("z", "null"),
        MailPair("a", #"[1,"x"]"#), MailPair("o", #"{"k":"v"}"#),
      ]
    },
    Field(#""data":{"k":"old","l":"1","k":"new"}"#) { $0.data = [MailPair("k", "new"), MailPair("l", "1")] },
    Field(#""data":{"collapse_key":"allowed"}"#) { $0.data = [MailPair("collapse_key", "allowed")] },
    Field(#""notification":{"title":"T","body":"B","icon":"i","badge":3,"unknown":"x"}"#) {
      $0.notification = [MailPair("title", "T"), MailPair("body", "B"), MailPair("icon", "i"), MailPair("badge", "3")]
    },
    Field(#""notification":{"body_loc_args":["a","b"],"title_loc_args":"[\"c\"]"}"#) {
      $0.notification = [MailPair("body_loc_args", #"["a","b"]"#), MailPair("title_loc_args", #"["c"]"#)]
    },
    Field(#""notification":{}"#) { $0.notification = [] },
  ]

  @Test("with an empty notification is a data message, and so normal")
  func emptyNotification() throws {
    let request = try Self.read(#"{"to":"t","notification":{},"data":{"k":"v"}}"#)
    #expect(!request.isNotification)
    #expect(request.effectivePriority == .normal)
  }

  @Test("with a notification is high, unless it says otherwise")
  func notificationPriority() throws {
    #expect(try Self.read(#"{"to":"t","notification":{"title":"T"}}"#).effectivePriority == .high)
    let low = try Self.read(#"{"to":"t","notification":{"title":"T"},"data":{"k":"v"},"priority":"normal"}"#)
    #expect(low.effectivePriority == .normal)
  }

  @Test(
    "names one target, or several tokens",
    arguments: [
      (#"{"to":"token"}"#, DownstreamTarget.recipient("token")),
      (#"{"registration_ids":["42"]}"#, .tokens(["42"])),
      (#"{"registration_ids":["a","b","a",""]}"#, .tokens(["a", "b", "a", ""])),
      (#"{"to":"/topics/a-b_c.d~e%20"}"#, .topic("a-b_c.d~e%20")),
      (#"{"notification_key":"group"}"#, .recipient("group")),
      (#"{"to":"t","notification_key":"group"}"#, .recipient("t")),
      (
        #"{"condition":"'a' in topics || 'b' in topics"}"#, .condition(.or(.topic("a"), .topic("b")))
      ),
    ])
  func target(_ json: String, _ expected: DownstreamTarget) throws {
    #expect(try Self.read(json).target == expected)
  }

  @Test(
    "that is not of the right form is refused with the words of the real service",
    arguments: [
      ("nope", "JSON_PARSING_ERROR: Unexpected character (n) at position 0."),
      ("", "JSON_PARSING_ERROR: Unexpected token END OF FILE at position 0."),
      (#"{"to":"t""#, "JSON_PARSING_ERROR: Unexpected token END OF FILE at position 9."),
      ("[]", "JSON_PARSING_ERROR: Not a JSON object at position 0."),
      (#"{"to":"t","data":"smth"}"#, #"Field "data" must be a JSON array: smth"#),
      (#"{"to":"t","notification":5}"#, #"Field "notification" must be a JSON array: 5"#),
      (#"{"to":5}"#, #"Field "to" must be a JSON string: 5"#),
      (#"{"registration_ids":"t"}"#, #"Field "registration_ids" must be a JSON array: t"#),
      (#"{"registration_ids":[5]}"#, #"Field "registration_ids" must be a JSON array of strings: 5"#),
      (#"{"registration_ids":[]}"#, #""registration_ids" field cannot be empty"#),
      (#"{"to":"t","collapse_key":5}"#, #"Field "collapse_key" must be a JSON string: 5"#),
      (#"{"to":"t","time_to_live":"5"}"#, #"Field "time_to_live" must be a JSON number: 5"#),
      (#"{"to":"t","delay_while_idle":1}"#, #"Field "delay_while_idle" must be a JSON boolean: 1"#),
      (#"{"to":"t","dry_run":"true"}"#, #"Field "dry_run" must be a JSON boolean: true"#),
      (#"{"to":"t","content_available":0}"#, #"Field "content_available" must be a JSON boolean: 0"#),
      (#"{"to":"t","priority":5}"#, #"Field "priority" must be a JSON string: 5"#),
      (
        #"{"to":"t","priority":"HIGH"}"#, #"Invalid value (HIGH) for "priority": must be "normal" or "high""#
      ),
      (#"{"to":"t","notification":{"title":[1]}}"#, #"Field "notification.title" must be a JSON string: [1]"#),
      (
        #"{"to":"t","registration_ids":["t"]}"#, #"Must use either "registration_ids" field or "to", not both"#
      ),
      (
        #"{"to":"t","condition":"'a' in topics"}"#, #"Must use either "to" field or "condition", not both"#
      ),
      (
        #"{"to":"/topics/a b"}"#,
        #"Invalid value (/topics/a b) for "to": a topic's name consists of [a-zA-Z0-9-_.~%]"#
      ),
      (
        #"{"condition":"'a' in"}"#, #"Invalid value ('a' in) for "condition": Expected "topics" at position 6"#
      ),
    ])
  func malformed(_ json: String, _ text: String) throws {
    let refusal = try #require(Self.refusal(json))
    #expect(refusal.text == text)
    #expect(refusal.code == nil)
    #expect(refusal.answer == nil)
  }

  @Test("to 1,001 tokens is refused, to 1,000 it is not")
  func targets() throws {
    func request(_ count: Int) -> String {
      #"{"registration_ids":[\#(Array(repeating: "\"t\"", count: count).joined(separator: ","))]}"#
    }
    #expect(Self.refusal(request(1_000)) == nil)
    #expect(
      Self.refusal(request(1_001))?.text == "Number of messages on bulk (1001) exceeds maximum allowed (1000)")
  }

  @Test(
    "that breaks a rule of the table is answered with its code",
    arguments: [
      ("{}", DownstreamError.missingRegistration, #"Missing "registration_ids" field"#),
      (#"{"to":""}"#, .missingRegistration, #"Missing "registration_ids" field"#),
      (#"{"to":"t","data":{"from":"x"}}"#, .invalidDataKey, #""data" key "from" is a reserved keyword"#),
      (#"{"to":"t","data":{"gcm":"x"}}"#, .invalidDataKey, #""data" key "gcm" is a reserved keyword"#),
      (#"{"to":"t","data":{"gcm.x":"x"}}"#, .invalidDataKey, #""data" key "gcm.x" is a reserved keyword"#),
      (#"{"to":"t","data":{"google":"x"}}"#, .invalidDataKey, #""data" key "google" is a reserved keyword"#),
      (#"{"to":"t","data":{"google.x":"x"}}"#, .invalidDataKey, #""data" key "google.x" is a reserved keyword"#),
      (
        #"{"to":"t","time_to_live":-1}"#, .invalidTimeToLive,
        #"Invalid value (-1) for "time_to_live": must be between 0 and 2419200"#
      ),
      (
        #"{"to":"t","time_to_live":2419201}"#, .invalidTimeToLive,
        #"Invalid value (2419201) for "time_to_live": must be between 0 and 2419200"#
      ),
      (
        #"{"to":"t","time_to_live":1e300}"#, .invalidTimeToLive,
        #"Invalid value (1e+300) for "time_to_live": must be between 0 and 2419200"#
      ),
    ])
  func codes(_ json: String, _ code: DownstreamError, _ text: String) throws {
    let refusal = try #require(Self.refusal(json))
    #expect(refusal.code == code)
    #expect(refusal.text == text)
    #expect(refusal.answer == .targets([.failed(code)]))
  }

  @Test(
    "may be as large as its limit, and not a byte larger",
    arguments: [
      (#"{"to":"t","data":{"k":"*"}}"#, 4_096), (#"{"to":"t","notification":{"title":"*"}}"#, 2_048),
      (#"{"to":"/topics/t","data":{"k":"*"}}"#, 2_048), (#"{"condition":"'t' in topics","data":{"k":"*"}}"#, 2_048),
    ])
  func size(_ template: String, limit: Int) {
    let key = template.contains("title") ? 5 : 1
    func request(_ bytes: Int) -> String {
      // "é" takes two bytes: it is bytes that are counted.
      let count = bytes - key
      let text = String(repeating: "é", count: count / 2) + String(repeating: "x", count: count % 2)
      return template.replacing("*", with: text)
    }
    #expect(Self.refusal(request(limit)) == nil)
    #expect(Self.refusal(request(limit + 1))?.code == .messageTooBig)
  }

  @Test("with both payloads is bounded as a whole")
  func wholeSize() {
    func request(_ data: Int) -> String {
      #"{"to":"t","notification":{"body":"\#(String(repeating: "n", count: 1_996))"},"data":{"k":"\#(String(repeating: "d", count: data - 1))"}}"#
    }
    #expect(Self.refusal(request(2_096)) == nil)
    #expect(Self.refusal(request(2_097))?.code == .messageTooBig)
  }

  @Test("that is refused is answered for each of its targets")
  func answerForEach() {
    let refusal = Self.refusal(#"{"registration_ids":["a","b"],"time_to_live":-1}"#)
    #expect(refusal?.answer == .targets([.failed(.invalidTimeToLive), .failed(.invalidTimeToLive)]))
    let topic = Self.refusal(#"{"to":"/topics/t","time_to_live":-1}"#)
    #expect(topic?.answer == .topic(.failure(.invalidTimeToLive)))
  }

  @Test("never brings more than a line of itself back")
  func excerpt() throws {
    let long = String(repeating: #"\n"#, count: 5_000)
    let text = try #require(Self.refusal(#"{"to":"t","priority":"\#(long)"}"#)?.text)
    #expect(text.utf8.count < 200)
    #expect(!text.contains("\n"))
  }

  @Test("may be nested 32 deep and no deeper")
  func depth() {
    func request(_ depth: Int) -> String {
      #"{"to":"t","data":{"k":\#(String(repeating: "[", count: depth - 2) + String(repeating: "]", count: depth - 2))}}"#
    }
    #expect(Self.refusal(request(32)) == nil)
    #expect(Self.refusal(request(33))?.code == nil && Self.refusal(request(33)) != nil)
  }
}
