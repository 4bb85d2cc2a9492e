import EventSourcing
import GCMProtocol
import PushDomain
import Testing

@Suite("A stanza's JSON")
struct CCSTests {
  private static let address = CCSAddress(messageID: "m-1", to: "t")

  private static func parse(_ json: String) -> CCSRequest { CCSRequest.parse(Array(json.utf8)) }

  private static func text(_ answer: CCSAnswer) -> String { String(decoding: answer.bytes, as: UTF8.self) }

  @Test("is a message if it has no type, with the fields of HTTP")
  func message() {
    var expected = DownstreamRequest(target: .recipient("t"))
    expected.messageID = "m-1"
    expected.timeToLive = 600
    expected.delayWhileIdle = true
    expected.wantsReceipt = true
    expected.data = [MailPair("hello", "world")]
    let json = """
      {"to":"t","message_id":"m-1","data":{"hello":"world"},"time_to_live":600,"delay_while_idle":true,\
      "delivery_receipt_requested":true}
      """
    #expect(Self.parse(json) == .message(Self.address, expected))
  }

  @Test("may be for a topic or a condition")
  func topics() {
    guard case .message(let address, let request) = Self.parse(#"{"to":"/topics/x","message_id":"m-1"}"#) else {
      return #expect(Bool(false))
    }
    #expect(address.to == "/topics/x")
    #expect(request.target == .topic("x"))
    guard case .message(_, let other) = Self.parse(#"{"condition":"'x' in topics","message_id":"m-1"}"#) else {
      return #expect(Bool(false))
    }
    #expect(other.target == .condition(.topic("x")))
  }

  @Test("is an acknowledgement if it says so")
  func acknowledgement() {
    #expect(Self.parse(#"{"to":"t","message_id":"m-1","message_type":"ack"}"#) == .ack(messageID: "m-1"))
  }

  @Test(
    "that is not usable is refused by its id",
    arguments: [
      (#"{"message_id":"m-1"}"#, "", "INVALID_JSON", "Missing Required Field: to"),
      (
        #"{"message_id":"m-1","to":"t","time_to_live":-1}"#, "t", "INVALID_JSON",
        #"Invalid value (-1) for "time_to_live": must be between 0 and 2419200"#
      ),
      (
        #"{"message_id":"m-1","to":"t","data":{"from":"x"}}"#, "t", "INVALID_JSON",
        #""data" key "from" is a reserved keyword"#
      ),
      (
        #"{"message_id":"m-1","to":"t","data":5}"#, "t", "INVALID_JSON", #"Field "data" must be a JSON array: 5"#
      ),
      (
        #"{"message_id":"m-1","registration_ids":["t"]}"#, "", "INVALID_JSON",
        #""registration_ids" cannot be used here: use "to""#
      ),
      (#"{"message_id":"m-1","message_type":"ack"}"#, "", "BAD_ACK", "Missing Required Field: to"),
      (
        #"{"message_id":"m-1","to":"t","message_type":"nack"}"#, "t", "BAD_ACK",
        "A message of a device cannot be refused"
      ),
      (
        #"{"message_id":"m-1","to":"t","message_type":"chat"}"#, "t", "INVALID_JSON", #"Unknown "message_type""#
      ),
      (
        #"{"message_id":"m-1","to":"t","message_type":5}"#, "t", "INVALID_JSON",
        #"Field "message_type" must be a JSON string: 5"#
      ),
    ])
  func refused(_ json: String, _ to: String, _ error: String, _ description: String) {
    guard case .refused(.nack(let address, let code, let text)) = Self.parse(json) else { return #expect(Bool(false)) }
    #expect(address == CCSAddress(messageID: "m-1", to: to))
    #expect(code.rawValue == error)
    #expect(text == description)
  }

  @Test(
    "without a usable message_id is a stanza error",
    arguments: [
      (#"{"to":"t"}"#, "JSON_PARSING_ERROR : Missing Required Field: message_id"),
      (#"{"to":"t","message_id":""}"#, "JSON_PARSING_ERROR : Missing Required Field: message_id"),
      (#"{"to":"t","message_id":5}"#, #"Field "message_id" must be a JSON string: 5"#),
      ("smth", "JSON_PARSING_ERROR: Unexpected character (s) at position 0."),
    ])
  func unidentified(_ json: String, _ text: String) {
    #expect(Self.parse(json) == .unidentified(description: text))
  }

  @Test(
    "answers with an ack or a nack",
    arguments: [
      (
        DownstreamAnswer.targets([.accepted(id: "0:1", canonical: nil)]),
        #"{"from":"t","message_id":"m-1","message_type":"ack"}"#
      ),
      (
        .targets([.accepted(id: "0:1", canonical: "new")]),
        #"{"from":"t","message_id":"m-1","message_type":"ack","registration_id":"new"}"#
      ),
      (.topic(.success(5)), #"{"from":"t","message_id":"m-1","message_type":"ack"}"#),
      (
        .group(success: 1, failed: ["x"]),
        #"{"from":"t","message_id":"m-1","message_type":"ack","success":1,"failure":1,"failed_registration_ids":["x"]}"#
      ),
      (
        .targets([.failed(.notRegistered)]),
        #"{"from":"t","message_id":"m-1","message_type":"nack","error":"DEVICE_UNREGISTERED","error_description":"The token is no longer registered"}"#
      ),
      (
        .group(success: 0, failed: ["x"]),
        #"{"from":"t","message_id":"m-1","message_type":"nack","error":"SERVICE_UNAVAILABLE","error_description":"The service is busy: try again later"}"#
      ),
    ])
  func answers(_ answer: DownstreamAnswer, _ json: String) {
    #expect(Self.text(CCSAnswer(Self.address, answer)) == json)
  }

  @Test(
    "has its own word for each code",
    arguments: [
      (DownstreamError.missingRegistration, "INVALID_JSON"), (.invalidRegistration, "BAD_REGISTRATION"),
      (.notRegistered, "DEVICE_UNREGISTERED"), (.mismatchSenderID, "SENDER_ID_MISMATCH"),
      (.messageTooBig, "INVALID_JSON"), (.invalidDataKey, "INVALID_JSON"), (.invalidTimeToLive, "INVALID_JSON"),
      (.unavailable, "SERVICE_UNAVAILABLE"), (.internalServerError, "INTERNAL_SERVER_ERROR"),
      (.deviceMessageRateExceeded, "DEVICE_MESSAGE_RATE_EXCEEDED"),
      (.topicsMessageRateExceeded, "TOPICS_MESSAGE_RATE_EXCEEDED"), (.invalidParameters, "INVALID_JSON"),
      (.invalidAPNsCredential, "INVALID_APNS_CREDENTIAL"),
    ])
  func codes(_ error: DownstreamError, _ word: String) { #expect(CCSErrorCode(error).rawValue == word) }

  @Test("brings a device's message to the app server")
  func upstream() {
    let mail = Mail(
      id: "u-1", scope: "", origin: "t", category: "com.example", sender: "42",
      acceptedAt: Timestamp(milliseconds: 5_000), timeToLive: 60, pairs: [MailPair("a", "1")])
    #expect(
      String(decoding: CCSDelivery.bytes(of: mail), as: UTF8.self)
        == #"{"from":"t","data":{"a":"1"},"category":"com.example","message_id":"u-1"}"#)
  }

  @Test("tells the app server that the device has the message")
  func receipt() {
    let mail = Mail(
      id: "dr2:m-1", scope: "", origin: "t", category: "com.example", sender: "42",
      acceptedAt: Timestamp(milliseconds: 5_000), timeToLive: 60, receiptFor: "m-1")
    #expect(
      String(decoding: CCSDelivery.bytes(of: mail), as: UTF8.self)
        == #"{"message_type":"receipt","from":"gcm.googleapis.com","data":{"message_status":"MESSAGE_SENT_TO_DEVICE","original_message_id":"m-1","device_registration_id":"t","message_sent_timestamp":"5000"},"category":"com.example","message_id":"dr2:m-1"}"#
    )
  }
}
