import Foundation
import JSONEnvelope
import Testing

extension ServerFromOutside {
  /// What an operator types.
  @Suite("The commands, as they are typed", .timeLimit(.minutes(2)))
  struct CommandTests {
    @Test(
      "a word that is no command: what was probably meant, all that there are, and 64",
      arguments: [
        (["sevre"], "did you mean serve?"), (["demo", "nonsense"], "chat, callback, support, standby"),
        (["journal", "verfy"], "did you mean verify?"), (["config", "nothing"], "check, options"),
      ])
    func stray(_ arguments: [String], _ hint: String) async throws {
      try await ServerProcess.run(agents: [], starts: false) { server in
        let result = try await server.command(arguments)
        #expect(result.status == 64)
        #expect(result.output.hasPrefix("error: ") && result.output.contains(hint), "\(result.output)")
      }
    }

    @Test("whatever is wrong is said in one shape")
    func errors() async throws {
      try await ServerProcess.run(agents: [], starts: false) { server in
        for arguments in [
          ["serve", "--no-such-option"], ["token", "revoke", "nobody", "--data-directory", server.dataDirectory],
          ["journal", "verify", server.directory + "/nothing"], ["push", "--device", "ios:1", "--title", "x"],
          ["config", "check", "--set", "server/port=x"],
        ] {
          let result = try await server.command(arguments)
          #expect(result.status != 0)
          #expect(result.output.hasPrefix("error: "), "\(arguments): \(result.output)")
        }
      }
    }

    @Test("CARILLON_TOKEN is the token of every command that asks a server, and nothing to the server itself")
    func tokenInTheEnvironment() async throws {
      try await ServerProcess.run { server in
        let token = ["CARILLON_TOKEN": try await server.makeToken("ops", ["--role", "admin"])]
        let url = "http://127.0.0.1:\(server.port)"
        let pushed = try await server.command(
          ["push", "--device", "customhttp:1", "--title", "x", "--server", url], environment: token)
        #expect(pushed.output.contains("pushEnabled"), "it came as far as the server: \(pushed.output)")
        let redacted = try await server.command(
          ["journal", "redact", "--server", url, "--subject", "nobody"], environment: token)
        #expect(redacted.status == 0 || redacted.output.contains("no record of this subject"), "\(redacted.output)")
        let checked = try await server.command(
          ["config", "check", "--config", server.configurationFile],
          environment: token.merging(["CARILLON_SERVER_PROT": "1"]) { first, _ in first })
        #expect(checked.status == 0)
        #expect(checked.output.contains("warning: environment CARILLON_SERVER_PROT"))
        #expect(!checked.output.contains("CARILLON_TOKEN"))
      }
    }

    @Test(
      "a proof of identity that could not work is 78 with its option, for config check and for serve",
      arguments: [
        (["identity": "jwt"], "identity"), (["identity": "header-from-proxy"], "proxy.trusted"),
        (["identity": "jwt", "identity.secret": "short"], "identity.secret"),
        (["identity": "jwt", "identity.key_files": "/nowhere/key.pem"], "/nowhere/key.pem"),
        (["identity": "jwt", "identity.jwks_file": "/nowhere/keys.json"], "/nowhere/keys.json"),
      ] as [([String: String], String)])
    func identity(_ options: [String: String], _ word: String) async throws {
      try await ServerProcess.run(["server": options], agents: [], starts: false) { server in
        for command in [["config", "check"], ["serve", "--port", "0"]] {
          let result = try await server.command(command + ["--config", server.configurationFile])
          #expect(result.status == 78 && result.output.contains(word), "\(command): \(result.output)")
        }
      }
    }

    @Test("token create --out and token rotate: 0600, nothing is overwritten but the old secret of that very token")
    func tokenFiles() async throws {
      try await ServerProcess.run(agents: []) { server in
        let file = server.directory + "/anna.token"
        let data = ["--data-directory", server.dataDirectory]
        #expect(try await server.command(["token", "create", "anna", "--out", file] + data).status == 0)
        let first = try secret(file)
        #expect(try mode(file) == 0o600)
        #expect(try await me(server, first) == 200)

        let again = try await server.command(["token", "create", "bert", "--out", file] + data)
        #expect(again.status == 73 && again.output.contains("not overwritten"))
        #expect(!(try await server.command(["token", "list"] + data)).output.contains("bert"), "no token was made")

        #expect(try await server.command(["token", "rotate", "anna", "--out", file] + data).status == 0)
        let second = try secret(file)
        #expect(first != second)
        #expect(try mode(file) == 0o600)
        #expect(try await me(server, first) == 401)
        #expect(try await me(server, second) == 200)

        let other = server.directory + "/other.txt"
        try "keep me".write(toFile: other, atomically: true, encoding: .utf8)
        let refused = try await server.command(["token", "rotate", "anna", "--out", other] + data)
        #expect(refused.status == 73)
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "keep me")
        #expect(try await me(server, second) == 200, "nothing was rotated")
      }
    }

    @Test("a server that has no token says so once")
    func noToken() async throws {
      try await ServerProcess.run(agents: []) { server in
        let status = try await server.stop()
        #expect(status == 0)
        #expect(server.log.components(separatedBy: "no token exists").count == 2, "\(server.log)")
      }
    }

    @Test("a port that is taken: the address is named, and nothing is made on the disk")
    func cannotListen() async throws {
      try await ServerProcess.run { server in
        let elsewhere = server.directory + "/elsewhere"
        let result = try await server.command([
          "serve", "--config", server.configurationFile, "--port", String(server.port), "--data-directory", elsewhere,
        ])
        #expect(result.status == 69)
        #expect(result.output.contains("cannot listen on 127.0.0.1:\(server.port)"), "\(result.output)")
        #expect(!FileManager.default.fileExists(atPath: elsewhere))
      }
    }

    @Test("each metric says in a sentence what it counts; the description has the server's version")
    func descriptions() async throws {
      try await ServerProcess.run { server in
        let text = try await server.wire().get("/metrics").text
        let helps = text.split(separator: "\n").filter { $0.hasPrefix("# HELP ") }
        #expect(helps.count > 10)
        for help in helps {
          let words = help.split(separator: " ", maxSplits: 3)
          #expect(words.count == 4 && words[3].hasSuffix(".") && words[3].contains(" "), "\(help)")
        }
        let version = try await server.command(["--version"]).output.split(whereSeparator: \.isWhitespace).last
        let document = try JSONValue(parsing: try await server.wire().get("/openapi.json").text)
        #expect(document["info"]?["version"]?.string == version.map(String.init))
      }
    }

    @Test("dump, replay and diff show no key unless they are told to")
    func keys() async throws {
      try await ServerProcess.run(["push": ["pushEnabled": "customhttp", "customhttp.url": "http://127.0.0.1:9/"]]) {
        server in
        let key = "user-key-that-opens"
        let device = "device-that-is-pushed-to"
        let (id, _) = try await server.wire(user: key).startChat([
          ("notify_by", "comet"), ("push_notification_type", "customhttp"), ("push_notification_deviceid", device),
        ])
        _ = try await server.stop()
        let journal = [server.dataDirectory, "--entity", "chat:\(id)"]
        for command in [
          ["dump", server.dataDirectory], ["replay"] + journal, ["diff", "--at", "1", "--at", "9"] + journal,
        ] {
          let masked = try await server.command(["journal"] + command)
          #expect(
            masked.status == 0 && !masked.output.contains(key) && !masked.output.contains(device),
            "\(command): \(masked.output)")
          let shown = try await server.command(["journal"] + command + ["--reveal"])
          // Whose it is, the first record says: it is no difference between later ones.
          #expect(shown.output.contains(command[0] == "diff" ? device : key), "\(command): \(shown.output)")
        }
      }
    }

    private func secret(_ file: String) throws -> String {
      try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func mode(_ file: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    }

    private func me(_ server: ServerProcess, _ token: String) async throws -> Int {
      try await Wire(port: server.port, headers: [("Authorization", "Bearer \(token)")]).get("/agent/1/me").status
    }
  }
}
