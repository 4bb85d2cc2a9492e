import JSONEnvelope
import Testing

extension ServerFromOutside {
  /// As an operator hands it out, and as a browser uses it.
  @Suite("Signing in to the console", .timeLimit(.minutes(2)))
  struct ConsoleTests {
    /// What a browser knows after signing in.
    private struct Browser {
      let cookie: (String, String)
      let session: JSONValue
      var proof: (String, String) { ("X-CSRF-Token", session["csrf"]?.string ?? "") }
    }

    private func call(
      _ server: ServerProcess, _ method: String, _ path: String, _ body: String = "",
      headers: [(String, String)] = []
    ) async throws -> WireResponse {
      let conversation = try await HTTPConversation.open(server.port)
      try await conversation.send(
        method, path, Array(body.utf8), type: body.isEmpty ? nil : "application/json", headers: headers)
      let response = try await conversation.response()
      await conversation.close()
      return response
    }

    /// The link that a command has printed.
    private func link(_ output: String) throws -> (place: String, code: String) {
      let line = try #require(output.split(separator: "\n").first { $0.contains("#code=") }, "\(output)")
      let mark = try #require(line.firstRange(of: "#code="))
      return (String(line[..<mark.lowerBound]), String(line[mark.upperBound...]))
    }

    private func signIn(_ server: ServerProcess, code: String) async throws -> Browser? {
      let answer = try await call(server, "POST", "/console/1/session", #"{"code":"\#(code)"}"#)
      guard answer.status == 200 else {
        #expect(answer.status == 401)
        return nil
      }
      let cookie = try #require(answer.header("Set-Cookie")?.split(separator: ";").first)
      return Browser(cookie: ("Cookie", String(cookie)), session: answer.json)
    }

    @Test("a link signs in once; the session outlives a kill, and ends with its token at once")
    func life() async throws {
      try await ServerProcess.run { server in
        let data = ["--data-directory", server.dataDirectory]
        let made = try await server.command(
          ["token", "create", "anna", "--role", "supervisor", "--link", "--base-url", "https://push.test/"] + data)
        #expect(made.status == 0 && !made.output.contains("car_"), "\(made.output)")
        let first = try link(made.output)
        #expect(first.place == "https://push.test/console/")
        let browser = try #require(try await signIn(server, code: first.code))
        #expect(browser.session["name"] == "anna" && browser.session["role"] == "supervisor")

        try await server.killNow()
        try await server.start()
        let again = try await call(server, "GET", "/console/1/session", headers: [browser.cookie])
        #expect(again.status == 200 && again.json == browser.session)
        #expect(try await signIn(server, code: first.code) == nil, "a kill makes no link good twice")
        let ready = try await call(
          server, "PUT", "/agent/1/me", #"{"ready":true}"#, headers: [browser.cookie, browser.proof])
        #expect(ready.status == 200)

        let second = try link(try await server.command(["token", "link", "anna"] + data).output)
        #expect(second.place.hasPrefix("http://127.0.0.1:") && second.place.hasSuffix("/console/"))
        #expect(try await signIn(server, code: second.code) != nil)
        #expect(try await server.command(["token", "revoke", "anna"] + data).status == 0)
        #expect(try await call(server, "GET", "/agent/1/me", headers: [browser.cookie]).status == 401)

        #expect(try await server.stop() == 0)
        let story = try await server.command(["journal", "timeline"] + data)
        #expect(story.output.contains("signs in to the console as supervisor, by a one-time link"), "\(story.output)")
        #expect(story.output.contains("the token was revoked"))
        let dump = try await server.command(["journal", "dump"] + data)
        for secret in [browser.cookie.1.dropFirst("carillon_session=".count), first.code[...]] {
          #expect(!dump.output.contains(secret), "it is in the journal")
        }
      }
    }

    @Test("no link is made that could not be used")
    func refusals() async throws {
      try await ServerProcess.run(starts: false) { server in
        let data = ["--data-directory", server.dataDirectory]
        for (arguments, status, word) in [
          (["create", "shop", "--role", "publisher", "--link"], 64, "no part in the console"),
          (["create", "ben", "--base-url", "https://a.test"], 64, "--link"),
          (["create", "ben", "--link", "--base-url", "a.test"], 64, "--base-url"),
          (["link", "nobody"], 1, "no usable token"),
          (["create", "ben", "--link", "--set", "server/console.enabled=false"], 64, "console.enabled"),
        ] as [([String], Int32, String)] {
          let result = try await server.command(["token"] + arguments + data)
          #expect(result.status == status && result.output.contains(word), "\(arguments): \(result.output)")
        }
        #expect(!(try await server.command(["token", "list"] + data)).output.contains("ben"), "no token was made")
        let file = server.directory + "/ben.token"
        let made = try await server.command(["token", "create", "ben", "--link", "--out", file] + data)
        #expect(made.status == 0)
        #expect(try link(made.output).code.hasPrefix("csc_"))
        let moved = try await server.command(["token", "link", "ben", "--set", "server/console.path=/desk"] + data)
        #expect(try link(moved.output).place.hasSuffix("/desk/"))
      }
    }
  }
}
