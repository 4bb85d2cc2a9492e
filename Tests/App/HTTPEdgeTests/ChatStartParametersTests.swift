import ChatAPI
import ChatDomain
import Engine
import EventSourcing
import HTTPTypes
import Testing

@testable import HTTPEdge

private func start(_ form: String, userKey: String? = nil) throws -> ChatStartRequest {
  let parameters = try RequestParameters(
    query: form, contentType: nil, body: [], limits: EdgeLimits())
  return try ChatStartRequest(parameters, userKey: userKey)
}

@Suite("Parameters of a chat's start")
struct ChatStartParametersTests {
  @Test(
    "the nickname falls back to the name, then to Customer",
    arguments: [
      ("userDisplayName=Ann&nickname=N&firstName=F", "Ann"), ("nickname=N&firstName=F", "N"),
      ("userDisplayName=&FirstName=Ada&LastName=L", "Ada L"), ("lastName=Only", "Only"), ("subject=x", "Customer"),
    ])
  func nickname(_ form: String, _ expected: String) throws {
    #expect(try start(form).nickname == expected)
  }

  @Test("identity is attached under its canonical names, options and unknown fields under their own")
  func data() throws {
    let request = try start(
      "FirstName=A&EmailAddress=a@b&_client_timeout_notification=5&order=7&subject=S&message=Hi&_verbose=true",
      userKey: "u")
    #expect(
      request.data == [
        NameValuePair("firstName", "A"), NameValuePair("email", "a@b"),
        NameValuePair("_client_timeout_notification", "5"),
        NameValuePair("order", "7"),
      ])
    #expect(request.subject == "S")
    #expect(request.firstMessage == "Hi")
    #expect(request.userKey == "u")
  }

  @Test(
    "events go over Comet only if asked",
    arguments: [("notify_by=comet", true), ("notify_by=COMET", true), ("a=b", false), ("notify_by=sms", false)])
  func notifyBy(_ form: String, _ expected: Bool) throws {
    #expect(try start(form).notifiesByComet == expected)
  }

  @Test("an iOS token loses what a debug print put around it")
  func iosToken() throws {
    let form =
      "push_notification_type=ios&push_notification_deviceid=%3C740f+4707%20bebc%3E&push_notification_debug=true"
      + "&push_notification_language=de&push_notification_provider=p"
    #expect(
      try start(form).pushTarget
        == PushTarget(type: "ios", deviceID: "740f4707bebc", provider: "p", language: "de", debug: true))
  }

  @Test("tokens of other types are left alone")
  func otherToken() throws {
    let target = try start("push_notification_type=fcm&push_notification_deviceid=a%3Cb%3E%20c").pushTarget
    #expect(target == PushTarget(type: "fcm", deviceID: "a<b> c"))
  }

  @Test(
    "without a type and a device there is no push",
    arguments: [
      "push_notification_type=gcm", "push_notification_type=customhttp", "push_notification_deviceid=", "",
    ])
  func withoutTarget(_ form: String) throws {
    #expect(try start(form).pushTarget == nil)
  }

  @Test(
    "what can never be pushed to is refused",
    arguments: [
      ("push_notification_deviceid=x", "push_notification_type"),
      ("push_notification_type=&push_notification_deviceid=x", "push_notification_type"),
      ("push_notification_type=ios&push_notification_deviceid=%3C%20%3E", "push_notification_deviceid"),
      ("push_notification_type=fcm&push_notification_deviceid=a%0Ab", "push_notification_deviceid"),
      ("push_notification_type=httpcb&push_notification_deviceid=device-7", "push_notification_deviceid"),
      ("push_notification_type=httpcb&push_notification_deviceid=https%3A//", "push_notification_deviceid"),
      (
        "push_notification_type=fcm&push_notification_deviceid=" + String(repeating: "x", count: 4_097),
        "push_notification_deviceid"
      ),
      ("push_notification_type=comet&push_notification_deviceid=user-1", "push_notification_type"),
    ])
  func neverReached(_ form: String, _ field: String) {
    #expect {
      try start(form)
    } throws: { error in
      let failure = error as? EdgeFailure
      return failure?.status == .badRequest && failure?.message.contains("'\(field)'") == true
    }
  }

  @Test("a subscription is named in place of a device, never beside it")
  func subscription() throws {
    func parameters(_ form: String) throws -> RequestParameters {
      try RequestParameters(query: form, contentType: nil, body: [], limits: EdgeLimits())
    }
    #expect(try parameters("subscriptionID=abc").pushSubscription == "abc")
    #expect(try parameters("subscriptionID=&push_notification_deviceid=x").pushSubscription == nil)
    #expect(throws: EdgeFailure.self) {
      try parameters("subscriptionID=abc&push_notification_type=fcm&push_notification_deviceid=x").pushSubscription
    }
    #expect(try start("subscriptionID=abc&order=7").data == [NameValuePair("order", "7")])
  }

  @Test("a type that the server does not know is kept: the chat runs, and the log says why nothing is pushed")
  func unknownType() throws {
    let target = try start("push_notification_type=pager&push_notification_deviceid=x").pushTarget
    #expect(target == PushTarget(type: "pager", deviceID: "x"))
  }
}
