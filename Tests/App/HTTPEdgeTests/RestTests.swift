import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Chat over REST", .timeLimit(.minutes(5)))
struct RestTests {
  private func json(_ response: RawClient.Response) throws -> JSONValue { try JSONValue(parsing: response.body) }

  private func created(_ client: RawClient) async throws -> String {
    try await client.post(
      "/genesys/1/service/request-chat", "order=7", headers: "Content-Type: application/x-www-form-urlencoded\r\n")
    let response = try await client.response()
    #expect(response.status == 200)
    let reply = try json(response)
    let id = try #require(reply["_id"]?.string)
    #expect(reply["_chatIxnAPI-CREATE-URL"]?.string == "/genesys/1/service/\(id)/ixn/chat")
    return id
  }

  @Test("a chat runs from its start to its end")
  func life() async throws {
    try await ServerHarness.run(origins: .listed(["http://a.test"])) { server in
      let client = try await server.connect()
      let base = "/genesys/1/service/\(try await created(client))/ixn/chat"
      try await client.post(
        base, #"{"nickname":"Guest 7","subject":"Order","_verbose":"true"}"#, headers: "Origin: http://a.test\r\n")
      let start = try await client.response()
      #expect(start.header("Content-Type") == "application/json;charset=UTF-8")
      #expect(start.header("Pragma") == "no-cache")
      #expect(start.header("Access-Control-Allow-Origin") == "http://a.test")
      let started = try json(start)
      #expect(started["chatIxnState"] == "CONNECTED")
      #expect(started["transcriptPosition"] == "1")
      #expect(started["isTLSrequired"] == "false")
      #expect(started["chatWebApiPort"]?.string.flatMap { Int($0) } == server.port)
      #expect(started["_chatIxnAPI_REFRESH_FROM_START_URL"]?.string == base + "/refresh?transcriptPosition=0")
      try await client.post(
        base + "/send", "message=hello+there", headers: "Content-Type: application/x-www-form-urlencoded\r\n")
      #expect(try json(try await client.response())["chatIxnState"] == "TRANSCRIPT")
      try await client.get(base + "/refresh?transcriptPosition=1")
      let refreshed = try json(try await client.response())
      #expect(refreshed["transcriptToShow"]?[0]?[2] == "hello there")
      #expect(refreshed["userId"] == nil)
      for operation in ["startTyping", "stopTyping", "updateData", "disconnect", "disconnect"] {
        try await client.post(base + "/" + operation, "")
        #expect(try await client.response().status == 200, "\(operation)")
      }
      try await client.post(base + "/send", #"{"message":"late"}"#)
      #expect(try await client.response().status == 400)
    }
  }

  @Test("requests that cannot be served have their status")
  func failures() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      let base = "/genesys/1/service/\(try await created(client))/ixn/chat"
      let cases: [(String, String, String, String, Int)] = [
        ("POST", "/genesys/1/service/no-such-service", "", "", 404),
        ("POST", "/genesys/1/service/1-unknown/ixn/chat", "", "", 404),
        ("POST", base + "/dance", "", "", 404),
        ("GET", base, "", "", 405),
        ("DELETE", base + "/send", "", "", 405),
        ("POST", base + "/send", #"{"message":"too early"}"#, "", 400),
        ("POST", base + "/send", "", "", 400),
        ("POST", base, "<xml/>", "text/xml", 415),
        ("POST", base, "message=%ff", "application/x-www-form-urlencoded", 400),
        ("POST", base, "{}", "", 200),
        ("POST", base, "{}", "", 409),
        ("GET", "/nowhere", "", "", 404),
      ]
      for (method, path, body, type, status) in cases {
        let fields = "Host: x\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
        try await client.write("\(method) \(path) HTTP/1.1\r\n\(fields)\r\n\(body)")
        let response = try await client.response()
        #expect(response.status == status, "\(method) \(path) \(body)")
        if status >= 400 {
          let error = try json(response)
          #expect(error["message"]?.string != nil && error["exception"]?.string != nil)
          #expect(error["code"]?.integer == status)
        }
        if status == 405 { #expect(response.header("Allow")?.contains("POST") == true) }
      }
    }
  }

  @Test("a service's credentials replace the server's for it")
  func credentials() async throws {
    let options = [
      "server": ["username": "s", "password": "s"], "service.request-chat": ["username": "v", "password": "v"],
      "service.open": ["_type": "builtin"],
    ]
    try await ServerHarness.run(options: options) { server in
      let client = try await server.connect()
      let (serverPair, servicePair) = ("Authorization: Basic czpz\r\n", "Authorization: Basic djp2\r\n")
      func status(_ path: String, _ headers: String) async throws -> Int {
        try await client.post(path, "", headers: headers)
        return try await client.response().status
      }
      #expect(try await status("/genesys/1/service/request-chat", "") == 401)
      #expect(try await status("/genesys/1/service/request-chat", serverPair) == 401)
      #expect(try await status("/genesys/1/service/request-chat", servicePair) == 200)
      #expect(try await status("/genesys/1/service/open", servicePair) == 401)
      #expect(try await status("/genesys/1/service/open", serverPair) == 200)
      #expect(try await status("/genesys/1/service/unknown-1/ixn/chat", "") == 401)
      #expect(try await status("/genesys/1/service/unknown-1/ixn/chat", serverPair) == 404)
    }
  }
}
