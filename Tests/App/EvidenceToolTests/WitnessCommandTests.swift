import AsyncHTTPClient
import EvidenceSamples
import Foundation
import NIOCore
import NIOHTTP1
import ProcessControl
import Testing
import Transparency

extension EvidenceCommands {
  @Suite("carillon witness", .timeLimit(.minutes(2)))
  struct WitnessCommandTests {
    private static let log = StandInLog(400)
    private static let fork = StandInLog(400, common: 100)
    private static let vkey = StandInLog.signer.verifierKey.text

    private func ask(_ url: String, _ body: [UInt8]) async throws -> (status: Int, body: String) {
      var request = HTTPClientRequest(url: url + "/add-checkpoint")
      request.method = .POST
      request.body = .bytes(ByteBuffer(bytes: body))
      let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
      return (Int(response.status.code), String(buffer: try await response.body.collect(upTo: 65_536)))
    }

    private func start(_ tool: EvidenceTool, _ number: Int) async throws -> (process: ChildProcess, url: String) {
      let process = try tool.start(
        "witness", "--key", "$key.pem", "--create-key", "--name", "witness.example.com/w1", "--state", "$state",
        "--listen",
        "127.0.0.1:0", "--log", Self.vkey, output: "out\(number)", errors: "err\(number)")
      return (process, try await tool.line("url     ", in: "out\(number)"))
    }

    @Test("one command makes a witness, whose key is a line for a policy, and whose word outlives a kill")
    func kill() async throws {
      let tool = try EvidenceTool()
      let (first, url) = try await start(tool, 1)
      let key = try VerifierKey(text: try await tool.line("key     ", in: "out1"))
      let line = try await tool.line("policy  ", in: "out1")
      #expect(line == "witness witness.example.com/w1 \(key.text) \(url)")
      let policy = try TrustPolicy(text: Array("log \(Self.vkey)\n\(line)\nquorum witness.example.com/w1\n".utf8))

      let cosigned = try await ask(url, try Self.log.request(0, 300))
      #expect(cosigned.status == 200)
      let note = try Self.log.note(300)
      let whole = try SignedNote(note.bytes + Array(cosigned.body.utf8))
      #expect(try policy.judge(whole).cosigned.map(\.witness) == ["witness.example.com/w1"])

      first.send(signal: SIGKILL)
      _ = try await first.wait(atMost: .seconds(20))
      let (second, again) = try await start(tool, 2)
      #expect(try await tool.line("key     ", in: "out2") == key.text)
      #expect(try await ask(again, try Self.log.request(0, 400)) == (409, "300\n"))
      #expect(try await ask(again, try Self.fork.request(300, 300)).status == 409)
      #expect(try await ask(again, try Self.fork.request(300, 400)).status == 422)
      #expect(try await ask(again, try Self.log.request(300, 400)).status == 200)
      let said = tool.read("err2")
      #expect(said.contains(#""level":"critical""#))
      #expect(said.contains("FORK: the log has signed two trees of the same size"))
      #expect(said.contains("ALARM: a signed checkpoint came with a proof that does not hold"))
      #expect(said.contains(#""origin":"carillon.example.com/main""#))
      let mode = try FileManager.default.attributesOfItem(atPath: tool.path("key.pem"))[.posixPermissions] as? Int
      #expect(mode == 0o600)

      let third = try await tool.run(
        "witness", "--key", "$key.pem", "--name", "witness.example.com/w1", "--state", "$state", "--listen",
        "127.0.0.1:0",
        "--log", Self.vkey)
      #expect(third.status == 75)
      second.send(signal: SIGTERM)
      #expect(try await second.wait(atMost: .seconds(20)) == 0)
    }

    @Test("kills at any moment of many requests leave a witness that never goes back")
    func kills() async throws {
      let tool = try EvidenceTool()
      var known: UInt64 = 0
      for number in 1...6 {
        let (process, url) = try await start(tool, number)
        let doomsday = Task.detached {
          try await Task.sleep(for: .milliseconds(number * 17))
          process.send(signal: SIGKILL)
        }
        var size = known
        while size < 400 {
          // Where it is, only the witness knows: the last answer may have been lost.
          guard let answer = try? await ask(url, try Self.log.request(size, size + 1)) else { break }
          if answer.status == 409, let ahead = UInt64(answer.body.dropLast()) {
            #expect(ahead >= known)
            size = ahead
          } else {
            #expect(answer.status == 200)
            size += 1
          }
          known = size
        }
        try await doomsday.value
        _ = try await process.wait(atMost: .seconds(20))
      }
      #expect(known > 0)
    }

    @Test("what is missing, wrong or taken stops the start, and leaves nothing behind")
    func refusals() async throws {
      let tool = try EvidenceTool()
      let base = ["witness", "--key", "$key.pem", "--name", "w1", "--state", "$state", "--listen", "127.0.0.1:0"]
      let cosigner = StandInLog.cosigner.verifierKey.text
      for (more, status, word) in [
        ([], 64, "Name a log"), (["--log", "x"], 64, "not a verifier key"),
        (["--log", cosigner], 64, "a witness's key"),
        (["--policy", "$absent"], 66, "absent cannot be read"), (["--log", Self.vkey], 66, "give --create-key"),
        (["--log", Self.vkey, "--tls-key", "x"], 64, "go together"),
      ] as [([String], Int32, String)] {
        let outcome = try await tool.run(base + more)
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(outcome.errors.contains(word), "\(outcome.errors)")
      }
      for (name, listen) in [
        ("a b", "127.0.0.1:0"), ("a+b", "127.0.0.1:0"), ("w1", "127.0.0.1"), ("w1", ":0"), ("w1", "a:70000"),
      ] {
        let outcome = try await tool.run(
          "witness", "--key", "$key.pem", "--create-key", "--name", name, "--state", "$state", "--listen", listen,
          "--log",
          Self.vkey)
        #expect(outcome.status == 64, "\(name) \(listen)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).isEmpty)
    }

    @Test("a key without its state directory is asked about before it says anything: 66")
    func stateMissing() async throws {
      let tool = try EvidenceTool()
      let (process, url) = try await start(tool, 1)
      #expect(try await ask(url, try Self.log.request(0, 10)).status == 200)
      // Somebody else has the port.
      let port = try #require(url.split(separator: ":").last)
      let taken = try await tool.run(
        "witness", "--key", "$other.pem", "--create-key", "--name", "w2", "--state", "$other", "--listen",
        "127.0.0.1:\(port)", "--log", Self.vkey)
      #expect(taken.status == 69)
      #expect(!FileManager.default.fileExists(atPath: tool.path("other.pem")))
      process.send(signal: SIGTERM)
      #expect(try await process.wait(atMost: .seconds(20)) == 0)

      let base = [
        "witness", "--key", "$key.pem", "--create-key", "--name", "witness.example.com/w1", "--listen", "127.0.0.1:0",
        "--log",
        Self.vkey,
      ]
      let away = try await tool.run(base + ["--state", "$unmounted"])
      #expect(away.status == 66)
      #expect(away.errors.contains("--create-state"))
      try FileManager.default.removeItem(atPath: tool.path("key.pem"))
      let keyless = try await tool.run(base + ["--state", "$state"])
      #expect(keyless.status == 66)
      #expect(keyless.errors.contains("put it back"))
      #expect(!FileManager.default.fileExists(atPath: tool.path("key.pem")))
    }
  }
}
