import ChatAPI
import ChatDomain
import Engine
import HTTPTypes
import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Error answers")
struct EdgeFailureTests {
  @Test(
    "each refusal of the engine has its status",
    arguments: [
      (EngineError.unknownServiceName("x"), 404), (.unavailable, 503), (.storageFull, 507),
      (.limitReached("chats"), 503),
      (.chat(.unknownService), 404), (.chat(.alreadyStarted), 409), (.chat(.notStarted), 400), (.chat(.ended), 400),
      (.chat(.notJoined), 403), (.chat(.alreadyJoined), 409), (.chat(.empty(field: "text")), 400),
      (.chat(.tooLong(field: "nickname", limit: 1)), 400), (.chat(.tooLong(field: "message", limit: 1)), 413),
      (.chat(.limitReached("agents")), 503), (.chat(.invalid(field: "url", reason: "is not one")), 400),
    ])
  func statuses(_ error: EngineError, _ status: Int) {
    let failure = EdgeFailure(error)
    #expect(failure.status.code == status)
    #expect((failure.retryAfter != nil) == (status == 503))
  }

  @Test("parameter failures are 400, an unusable content type 415")
  func parameters() {
    #expect(EdgeFailure(ParameterFailure.invalidText(field: "message")).status == .badRequest)
    #expect(EdgeFailure(ParameterFailure.invalidText(field: "message")).message.contains("'message'"))
    #expect(EdgeFailure(ParameterFailure.unsupportedContentType("a/b")).status == .unsupportedMediaType)
  }

  @Test("the body has message, exception, phrase and code")
  func body() throws {
    let value = try JSONValue(parsing: EdgeFailure.missingParameter("_customer_number").body)
    #expect(
      value == [
        "message": "Mandatory parameter '_customer_number' is missing", "exception": "InvalidParameterException",
        "phrase": "BAD_PARAMETER", "code": 400,
      ])
  }

  @Test("405 names the methods, 401 the scheme, 503 the pause")
  func fields() {
    #expect(EdgeFailure.methodNotAllowed(allow: "POST").fields[.allow] == "POST")
    #expect(EdgeFailure.basicAuthenticationRequired.fields[.wwwAuthenticate] == "Basic realm=\"genesys\"")
    #expect(EdgeFailure.unavailable("x").fields[.retryAfter] != nil)
  }
}

@Suite("Credentials and origins")
struct AccessTests {
  @Test(
    "Basic credentials are read strictly",
    arguments: [
      ("Basic dXNlcjpwYTpzcw==", "user", "pa:ss"), ("basic  dXNlcjpwYTpzcw", "user", "pa:ss"),
    ])
  func basic(_ header: String, _ username: String, _ password: String) {
    #expect(BasicCredentials(authorization: header) == BasicCredentials(username: username, password: password))
  }

  @Test(
    "malformed ones are none",
    arguments: [nil, "", "Basic", "Bearer dXNlcjpwYQ==", "Basic dXNlcg==", "Basic d$$$", "Basic /w=="])
  func malformed(_ header: String?) {
    #expect(BasicCredentials(authorization: header) == nil)
  }

  @Test("both name and password must be right")
  func matching() {
    let pair = BasicCredentials(username: "u", password: "p")
    #expect(pair.matches(BasicCredentials(username: "u", password: "p")))
    #expect(!pair.matches(BasicCredentials(username: "u", password: "p2")))
    #expect(!pair.matches(BasicCredentials(username: "v", password: "p")))
  }

  @Test(
    "origins are compared as browsers write them",
    arguments: [
      ("*", "https://a.test", true), ("*", "null", true),
      ("https://a.test, https://b.test:8443/", "https://B.test:8443", true),
      ("https://a.test", "http://a.test", false), ("https://a.test", "https://a.test.evil", false),
      ("", "https://a.test", false),
      ("*", "https://a.test\u{7F}", false),
    ])
  func origins(_ option: String, _ origin: String, _ isAllowed: Bool) {
    #expect(OriginPolicy(option: option).allows(origin) == isAllowed)
  }

  @Test(
    "the user key is bounded and printable",
    arguments: [("abc", "abc"), (" a b ", "a b"), ("", nil), ("   ", nil), (nil, nil)])
  func userKey(_ header: String?, _ expected: String?) throws {
    #expect(try UserKey.read(header.map { [$0] } ?? [], limits: EdgeLimits()).get() == expected)
  }

  @Test("a long or unprintable user key is refused", arguments: [String(repeating: "k", count: 257), "a\u{1}b", "ä"])
  func badUserKey(_ header: String) {
    #expect(throws: EdgeFailure.self) { try UserKey.read([header], limits: EdgeLimits()).get() }
  }

  @Test(
    "paths belong to their surface",
    arguments: [
      ("/genesys/cometd", Surface.comet), ("/genesys/cometd/handshake?x=1", .comet), ("/genesys/cometdx", .service),
      ("/genesys/1/service/request-chat", .service), ("/agent/1/chats", .agent), ("/agents", .other),
      ("/checkin", .messaging), ("/iid/v1:batchAdd", .messaging), ("/fcm/send/a:b", .messaging),
      ("/v1/projects/p/messages:send", .messaging), ("/device/1/checkin", .messaging), ("/devices/1", .devices),
      ("/devicesx", .other),
      ("/health/live", .operation), ("/metrics?x", .operation), ("/", .other), ("*", .other),
      ("/admin/1/redactions", .administration), ("/console/1/session", .console), ("/console", .console),
      ("/consoles", .other),
    ])
  func surfaces(_ target: String, _ surface: Surface) { #expect(Surface(target: target) == surface) }
}

@Suite("Token roles")
struct TokenRoleTests {
  @Test(
    "only a supervisor may join as somebody else, nobody as the customer",
    arguments: [
      (TokenRole.agent, [PartyRole.agent]), (.supervisor, [.agent, .supervisor, .external]), (.bot, [.external]),
    ])
  func permitted(_ role: TokenRole, _ permitted: [PartyRole]) {
    #expect(PartyRole.allCases.filter { role.permits($0) } == permitted)
  }
}
