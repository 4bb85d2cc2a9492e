import ChatAPI
import NIOHTTP1
import Testing

@testable import AgentEdge
@testable import HTTPEdge

/// The router, and the way past it: whatever is asked, both answer the same, to the last byte.
@Suite("Agents' acts beside the router", .timeLimit(.minutes(5)))
struct AgentActPathTests {
  private struct Case {
    var method = "POST"
    /// What the path calls it; with `{chat}`, all that follows `/agent/1/chats/`.
    var name = "messages"
    var who = "anna"
    var headers = ""
    var version = "1.1"
    var body = #"{"text":"x"}"#
    let status: Int
  }

  /// In this order: each finds what those before it have left.
  private static let cases: [Case] = [
    Case(status: 403), Case(name: "join", body: "{}", status: 400), Case(name: "join", body: "", status: 400),
    Case(name: "join", body: #"{"nickname":null}"#, status: 400),
    Case(name: "join", who: "bert", body: #"{"nickname":"K"}"#, status: 404),
    Case(name: "join", body: #"{"nickname":"K"}"#, status: 200),
    Case(name: "join", body: #"{"nickname":"K"}"#, status: 409),
    Case(name: "join", who: "carl", body: #"{"nickname":"K"}"#, status: 409),
    // Who asks.
    Case(who: "", status: 401), Case(who: "nobody", status: 401), Case(who: "boss", status: 403),
    Case(who: "publisher", status: 403), Case(who: "bert", status: 404), Case(who: "carl", status: 404),
    Case(who: "", headers: "Authorization: Basic YTpi\r\n", status: 401),
    Case(who: "", headers: "Authorization: Bearer\r\n", status: 401),
    Case(who: "", headers: "Authorization: \r\n", status: 401),
    Case(headers: "Authorization: Bearer x\r\n", status: 401), Case(who: "", headers: "Cookie: a=b\r\n", status: 401),
    Case(headers: "Cookie: a=b\r\n", status: 200), Case(who: "nobody", body: "[", status: 401),
    // What is asked.
    Case(status: 200), Case(headers: "Content-Type: text/plain\r\n", status: 200),
    Case(headers: "Content-Type: application/x-www-form-urlencoded\r\n", body: "text=x", status: 400),
    Case(body: "", status: 400), Case(body: "   ", status: 400), Case(body: "[", status: 400),
    Case(body: "[]", status: 400), Case(body: "null", status: 400), Case(body: "{}", status: 400),
    Case(body: #"{"text":null}"#, status: 400), Case(body: #"{"text":3}"#, status: 400),
    Case(body: #"{"text":""}"#, status: 400), Case(body: #"{"text":"a","text":"b"}"#, status: 200),
    Case(body: "{\"text\":\"\u{E9}\u{1F514}\"}", status: 200), Case(body: #"{"text":"\ud800"}"#, status: 400),
    Case(body: #"{"text":"\#(String(repeating: "x", count: 70_000))"}"#, status: 413),
    Case(body: String(repeating: " ", count: EdgeLimits().bodyBytesMaximum + 1), status: 413),
    Case(headers: "Transfer-Encoding: chunked\r\n", body: "c\r\n{\"text\":\"x\"}\r\n0\r\n\r\n", status: 200),
    Case(headers: "Connection: close\r\n", status: 200), Case(version: "1.0", status: 200),
    Case(headers: "Expect: miracles\r\n", status: 417),
    // How, where and from where it is asked.
    Case(method: "GET", status: 405), Case(method: "PUT", status: 405), Case(method: "DELETE", status: 405),
    Case(method: "PATCH", status: 405), Case(method: "HEAD", body: "", status: 405),
    Case(method: "OPTIONS", body: "", status: 204), Case(method: "LOCK", body: "", status: 501),
    Case(method: "OPTIONS", headers: "Origin: https://shop.test\r\n", body: "", status: 204),
    Case(headers: "Origin: https://shop.test\r\n", status: 200), Case(name: "nothing", status: 404),
    Case(name: "Messages", status: 404), Case(name: "messages/x", status: 404), Case(name: "messages/", status: 200),
    Case(name: "messages?a=b", status: 200), Case(name: "messages?text=y", body: "{}", status: 400),
    Case(name: "nowhere/messages{chat}", status: 404), Case(name: "messages%20", status: 404),
    // The other acts.
    Case(name: "typing", body: #"{"started":true}"#, status: 200),
    Case(name: "typing", body: #"{"started":"yes"}"#, status: 400),
    Case(name: "pushurl", body: #"{"url":"https://a.test"}"#, status: 200),
    Case(name: "pushurl", body: #"{"url":"nowhere"}"#, status: 400), Case(name: "notice", status: 200),
    Case(name: "request", body: #"{"comment":1}"#, status: 422), Case(name: "release", body: "", status: 409),
    Case(name: "close", body: "", status: 200),
    Case(status: 400), Case(name: "leave", body: "", status: 400),
  ]

  @Test("both answer the same")
  func answers() async throws {
    try await DeskRig.run(origins: .any) { desk in
      let tokens = [
        "anna": try desk.token("anna"), "bert": try desk.token("bert", services: ["help"]),
        "carl": try desk.token("carl"), "boss": try desk.token("boss", .supervisor),
        "publisher": try desk.token("publisher", .publisher), "nobody": "car_nobody",
      ]
      let chats = (beside: try await desk.chat(), routed: try await desk.chat())
      for (number, one) in Self.cases.enumerated() {
        var answers: [RawClient.Response] = []
        // An empty part does not count for the router, and is not plain.
        for start in ["/agent/1/chats/\(chats.beside)/", "/agent/1/chats//\(chats.routed)/"] {
          let client = try await desk.server.connect()
          try await client.write(Self.request(one, start, tokens[one.who]))
          answers.append(try await client.response(withoutBody: one.method == "HEAD"))
          await client.close()
        }
        #expect(answers[0].status == one.status, "\(number): \(one) \(answers[0].body)")
        #expect(answers[0].head == answers[1].head, "\(number): \(one)")
        #expect(answers[0].body == answers[1].body, "\(number): \(one)")
      }
    }
  }

  private static func request(_ one: Case, _ start: String, _ token: String?) -> String {
    let length = one.headers.contains("chunked") ? "" : "Content-Length: \(one.body.utf8.count)\r\n"
    let target = one.name.hasSuffix("{chat}") ? "/agent/1/chats/\(one.name.dropLast(6))" : start + one.name
    return "\(one.method) \(target) HTTP/\(one.version)\r\nHost: x\r\n"
      + (token.map { "Authorization: Bearer \($0)\r\n" } ?? "") + "\(one.headers)\(length)\r\n\(one.body)"
  }

  @Test("plain requests go past the router, and no others")
  func plain() async throws {
    try await ServerHarness.run { server in
      let acts = Departures.services(of: server).agentActs
      func chat(_ target: String, _ method: HTTPMethod = .POST, _ fields: [(String, String)]? = nil) -> String? {
        acts.order(
          HTTPRequestHead(
            version: .http1_1, method: method, uri: target,
            headers: HTTPHeaders(fields ?? [("Authorization", "Bearer x")])))?.chat
      }
      for name in ["join", "messages", "typing", "pushurl", "notice", "leave", "release", "close"] {
        #expect(chat("/agent/1/chats/0-A_z/\(name)") == "0-A_z")
      }
      for target in [
        "/agent/1/chats//x/messages", "/agent/1/chats/x//messages", "/agent/1/chats/x/messages/",
        "/agent/1/chats/x/messages?", "/agent/1/chats/%30/messages", "/agent/1/chats/x.y/messages",
        "/agent/1/chats/x/Messages", "/agent/1/chats/x/request", "/agent/1/chats/x", "/agent/1/chats/",
        "/agent/1/chats",
        "/agent/1/chats/messages", "/agent/1/chats//messages", "/agent/1/me", "*", "",
      ] {
        #expect(chat(target) == nil, "\(target)")
      }
      let target = "/agent/1/chats/x/messages"
      for method in [HTTPMethod.GET, .HEAD, .PUT, .OPTIONS, .RAW(value: "post")] {
        #expect(chat(target, method) == nil)
      }
      #expect(chat(target, .POST, []) == nil)
      #expect(chat(target, .POST, [("Cookie", "a=b")]) == nil)
      #expect(chat(target, .POST, [("Authorization", "Bearer x"), ("authorization", "Bearer x")]) == nil)
      #expect(chat(target, .POST, [("Cookie", "a=b"), ("Authorization", "Bearer x")]) == "x")
    }
  }
}
