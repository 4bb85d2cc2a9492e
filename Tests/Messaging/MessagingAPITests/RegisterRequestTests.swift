import HTTPKit
import MessagingEngine
import Testing

@testable import MessagingAPI

@Suite("The registration form")
struct RegisterRequestTests {
  private func read(_ form: String) throws -> RegisterRequest {
    var fields = RequestParameters()
    try fields.addForm(form.utf8)
    return try RegisterRequest(fields)
  }

  @Test("an Android app, for several senders")
  func android() throws {
    var form = RegistrationForm(app: "com.example.app", senders: ["4711", "4712"], platform: "ANDROID")
    form.appVersion = "7"
    form.certificate = "ab12"
    #expect(
      try read("app=com.example.app&device=1&sender=4711,4712,4711&app_ver=7&cert=ab12&gcm_ver=9&info=x")
        == .register(form))
  }

  @Test("an instance id's token, as Chromium asks for it")
  func instanceID() throws {
    var form = RegistrationForm(
      app: "org.chromium.linux", senders: ["BKey"], subtype: "wp:https://a.test/#GUID-V2", instanceID: "abcdefghijk",
      platform: "CHROME")
    form.scope = "GCM"
    #expect(
      try read(
        "app=org.chromium.linux&X-subtype=wp%3Ahttps%3A%2F%2Fa.test%2F%23GUID-V2&scope=GCM&X-scope=GCM&gmsv=156"
          + "&appid=abcdefghijk&sender=BKey") == .register(form))
  }

  @Test(
    "browsers, by what they register",
    arguments: [
      ("app=com.chrome.linux", "CHROME"), ("app=abcdefghijklmnopabcdefghijklmnop", "CHROME"),
      ("app=abcdefghijklmnopabcdefghijklmnoz", "ANDROID"), ("app=a.b&X-subtype=wp:x", "CHROME"),
      ("app=com.google.android.gms", "ANDROID"),
    ])
  func platform(form: String, platform: String) throws {
    guard case .register(let form) = try read(form + "&sender=1") else {
      Issue.record("no registration")
      return
    }
    #expect(form.platform == platform)
  }

  @Test("deletes, of each kind that clients send")
  func deletes() throws {
    #expect(
      try read("app=ext&device=1&delete=true&gcm_unreg_caller=false")
        == .unregister(app: "ext", subtype: nil, senders: [], instanceID: nil, isWhole: false))
    #expect(
      try read("app=ext&device=1&delete=1")
        == .unregister(app: "ext", subtype: nil, senders: [], instanceID: nil, isWhole: true))
    #expect(
      try read("app=ext&appid=abc&sender=4711&scope=GCM&X-scope=GCM&delete=true")
        == .unregister(app: "ext", subtype: nil, senders: ["4711"], instanceID: "abc", isWhole: false))
    #expect(
      try read("app=o&X-subtype=wp:x&appid=abc&sender=*&scope=*&X-scope=*&delete=1")
        == .unregister(app: "o", subtype: "wp:x", senders: [], instanceID: "abc", isWhole: false))
  }

  @Test("topics, by the device itself")
  func topics() throws {
    #expect(
      try read("app=a&sender=tok:en&X-gcm.topic=/topics/news&X-scope=/topics/news")
        == .subscribe(token: "tok:en", topic: "news", on: true))
    #expect(
      try read("app=a&sender=tok:en&X-gcm.topic=%2Ftopics%2Fnews&delete=true")
        == .subscribe(token: "tok:en", topic: "news", on: false))
  }

  private static let refusals: [(String, RegisterError)] = [
    ("app=a", .invalidSender), ("app=a&sender=", .invalidSender), ("app=a&sender=,", .invalidSender),
    ("app=a&sender=\(long)", .invalidSender), ("app=a&sender=\(tooMany)", .invalidSender),
    ("sender=1", .invalidParameters), ("app=&sender=1", .invalidParameters),
    ("app=\(long)&sender=1", .invalidParameters), ("app=a&sender=1&appid=\(long)", .invalidParameters),
    ("app=a&sender=t&X-gcm.topic=news", .invalidParameters),
    ("app=a&sender=t&X-gcm.topic=/topics/a b", .invalidParameters),
    ("app=a&X-gcm.topic=/topics/news", .invalidParameters),
  ]
  private static let long = String(repeating: "1", count: 257)
  private static let tooMany = (1...101).map(String.init).joined(separator: ",")

  @Test("what is refused", arguments: refusals)
  func refused(form: String, error: RegisterError) {
    #expect(throws: error) { try read(form) }
  }

  @Test(
    "who a device says it is",
    arguments: [
      ("AidLogin 12:34", 12, 34), ("aidlogin  12:34", 12, 34),
      ("AidLogin 18446744073709551615:-1", UInt64.max, UInt64.max),
    ] as [(String, UInt64, UInt64)])
  func credentials(header: String, id: UInt64, token: UInt64) {
    #expect(
      InstallationCredentials(authorization: header)
        == InstallationCredentials(id: InstallationID(id), securityToken: token))
  }

  @Test(
    "what does not say it",
    arguments: [
      nil, "", "AidLogin", "AidLogin 12", "AidLogin 12:", "AidLogin 12:34:56", "AidLogin 0:34", "AidLogin 12:0",
      "AidLogin a:b", "Bearer 12:34", "AidLogin 12:34 56", "AidLogin 18446744073709551616:1",
    ])
  func noCredentials(header: String?) {
    #expect(InstallationCredentials(authorization: header) == nil)
  }

  @Test(
    "topics in a path: decoded, or as they stand",
    arguments: [
      ("news", "news"), ("a%2Eb", "a.b"), ("100%25", "100%"), ("100%", "100%"), ("a%20b", "a%20b"), ("a+b", nil),
      ("", nil), ("a%2Fb", "a%2Fb"),
    ] as [(String, String?)])
  func topics(path: String, topic: String?) {
    #expect(PathText.topic(path) == topic)
  }
}
