import AsyncHTTPClient
import EvidenceSamples
import Foundation
import JournalFormat
import NIOCore
import NIOHTTP1
import ProcessControl
import Testing
import Transparency

/// A server whose log two witnesses look after.
struct LoggedServer {
  private static let origin = StandInLog.name("carillon.example.com/main")

  let tool: EvidenceTool
  let key: VerifierKey
  let witnesses: [(process: ChildProcess, key: String, url: String)]

  static func make() async throws -> LoggedServer {
    let tool = try EvidenceTool()
    let made = try await tool.run("journal", "key", "--out", "$audit.pem")
    try #require(made.status == 0, "\(made.errors)")
    let pem = try AuditKey(pem: tool.read("audit.pem"))
    let key = NoteSigner(name: origin, key: pem).verifierKey
    var witnesses: [(ChildProcess, String, String)] = []
    for number in 1...2 {
      let process = try tool.start(
        "witness", "--key", "$w\(number).pem", "--create-key", "--name", "w\(number).example.com", "--state",
        "$state\(number)", "--listen", "127.0.0.1:0", "--log", key.text, output: "wout\(number)",
        errors: "werr\(number)")
      witnesses.append(
        (
          process, try await tool.line("key     ", in: "wout\(number)"),
          try await tool.line("url     ", in: "wout\(number)")
        ))
    }
    let lines = witnesses.enumerated().map { "witness w\($0 + 1) \($1.1)\n" }.joined()
    try tool.write("log \(key.text)\n\(lines)group both 2 w1 w2\nquorum both\n", to: "policy")
    try tool.write("log \(key.text)\nquorum none\n", to: "trusting")
    return LoggedServer(tool: tool, key: key, witnesses: witnesses)
  }

  /// - Returns: the server, and its URL.
  func serve(_ data: String, _ log: String, quorum: Int = 2) async throws -> (process: ChildProcess, url: String) {
    let list = witnesses.map { "\($0.key) \($0.url)" }.joined(separator: ",")
    let process = try tool.start(
      "serve", "--data-directory", "$\(data)", "--port", "0", "--set", "server/journal.origin=\(Self.origin)", "--set",
      "server/journal.checkpoint_key=\(tool.path("audit.pem"))", "--set", "server/journal.checkpoint_interval=1",
      "--set", "server/journal.witnesses=\(list)", "--set", "server/journal.witness_quorum=\(quorum)", "--set",
      "server/journal.tlog_readers=anyone", output: "\(log).out", errors: log)
    while true {
      if let found = tool.read(log).firstMatch(of: /is ready on .*"address":"(http:[^"]*)"/) {
        return (process, String(found.output.1))
      }
      try #require(process.isRunning, "\(tool.read(log))")
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// So many records at least.
  func write(_ count: Int, to url: String, user: String = "alice") async throws {
    for _ in 0..<count {
      var request = HTTPClientRequest(url: url + "/genesys/1/service/request-chat")
      request.method = .POST
      request.headers.add(name: "gms_user", value: user)
      let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
      _ = try await answer.body.collect(upTo: 65_536)
      try #require(answer.status == .ok)
    }
  }

  /// Waits until the log shows a checkpoint of more records that the policy takes.
  func checkpoint(_ url: String, beyond size: UInt64, policy: String = "policy") async throws -> Endorsement {
    let policy = try TrustPolicy(text: Array(tool.read(policy).utf8))
    while true {
      let answer = try await HTTPClient.shared.execute(
        HTTPClientRequest(url: url + "/tlog/checkpoint"), timeout: .seconds(20))
      let body = try await answer.body.collect(upTo: 65_536)
      if answer.status == .ok, let found = try? policy.judge(try SignedNote(Array(body.readableBytesView))),
        found.checkpoint.head.size > size
      {
        return found
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  func monitor(_ url: String, policy: String = "policy") async throws -> EvidenceTool.Outcome {
    try await tool.run(
      "journal", "monitor", url + "/tlog", "--policy", "$\(policy)", "--state", "$monitored", "--once")
  }
}
