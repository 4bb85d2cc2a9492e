import EventSourcing
import HTTP2Client
import NIOHPACK
import PushDomain
import Testing

@testable import PushProviders

@Suite("APNs request")
struct APNsRequestTests {
  private func headers(
    _ message: PushMessage, _ options: [String: String] = [:]
  ) throws -> [String: String] {
    let request = try APNsRequest.make(MobileSamples.delivery(message, options), topic: "com.example.chat")
    return Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
  }

  @Test("an alert has Apple's headers, and its id is the push's")
  func alert() throws {
    let message = MobileSamples.message(
      MobileSamples.ios(), expiry: mobileNow.advanced(by: .seconds(90)), collapseKey: "chat-1")
    #expect(
      try headers(message) == [
        "apns-topic": "com.example.chat", "apns-push-type": "alert", "apns-priority": "10",
        "content-type": "application/json", "apns-id": MobileSamples.pushID, "apns-expiration": "1800000090",
        "apns-collapse-id": "chat-1",
      ])
  }

  @Test("what differs from push to push stays out of the compression table")
  func indexing() throws {
    let message = MobileSamples.message(MobileSamples.ios(), collapseKey: "k")
    let request = try APNsRequest.make(MobileSamples.delivery(message), topic: "t")
    #expect(request.path == "/3/device/" + MobileSamples.deviceToken)
    for (name, _, indexing) in request.headers {
      let isOwn = ["apns-id", "apns-expiration", "apns-collapse-id"].contains(name)
      #expect((indexing == .nonIndexable) == isOwn, "\(name)")
    }
  }

  @Test(
    "each push type has its topic and its priorities",
    arguments: [
      ("alert", "", 10, 5), ("background", "", 5, 5), ("voip", ".voip", 10, 10),
      ("location", ".location-query", 10, 5), ("complication", ".complication", 10, 5),
      ("fileprovider", ".pushkit.fileprovider", 5, 5), ("liveactivity", ".push-type.liveactivity", 10, 5),
      ("pushtotalk", ".voip-ptt", 10, 10), ("widgets", ".push-type.widgets", 5, 5),
      ("controls", ".push-type.controls", 5, 5), ("mdm", "", 10, 10),
    ])
  func pushTypes(type: String, suffix: String, high: Int, normal: Int) throws {
    for (priority, expected) in [(PushPriority.high, high), (.normal, normal)] {
      let message = MobileSamples.message(
        MobileSamples.ios(), priority: priority, display: MobileSamples.display { $0.pushType = type })
      let headers = try headers(message)
      #expect(headers["apns-push-type"] == type)
      #expect(headers["apns-topic"] == "com.example.chat" + suffix)
      #expect(headers["apns-priority"] == "\(expected)")
    }
  }

  @Test("now or never is not stored, never expiring is stored for four weeks, and none longer than thirty days")
  func expiration() {
    func expiration(_ message: PushMessage) -> Int64 { APNsRequest.expiration(MobileSamples.delivery(message)) }
    let target = MobileSamples.ios()
    #expect(expiration(MobileSamples.message(target, expiry: mobileNow, isNowOrNever: true)) == 0)
    #expect(expiration(MobileSamples.message(target)) == 1_800_000_000 + 28 * 86_400)
    let year = mobileNow.advanced(by: .seconds(365 * 86_400))
    #expect(expiration(MobileSamples.message(target, expiry: year)) == 1_800_000_000 + 30 * 86_400)
  }

  @Test(
    "a collapse key that Apple would not take becomes its hash",
    arguments: [
      (String(repeating: "k", count: 64), false), (String(repeating: "k", count: 65), true), ("ключ", true),
      (" k", true),
      ("a b", false), ("a\nb", true),
    ])
  func collapse(key: String, isHashed: Bool) {
    let id = APNsRequest.collapseID(key)
    #expect((id != key) == isHashed)
    #expect(id.utf8.count <= 64)
    if isHashed { #expect(id.utf8.count == 43) }
  }

  @Test("no collapse key, no header")
  func noCollapse() throws {
    #expect(try headers(MobileSamples.message(MobileSamples.ios()))["apns-collapse-id"] == nil)
    #expect(try headers(MobileSamples.message(MobileSamples.ios(), collapseKey: ""))["apns-collapse-id"] == nil)
  }

  @Test(
    "device tokens are hexadecimal, of any even length",
    arguments: [
      ("ab", true), ("AB09", true), (String(repeating: "a", count: 200), true), ("", false), ("abc", false),
      (String(repeating: "a", count: 202), false), ("xy", false), ("ab/../", false), ("ａｂ", false), ("ab cd ", false),
    ])
  func deviceTokens(token: String, isGood: Bool) { #expect(APNsRequest.isHex(token) == isGood) }
}
