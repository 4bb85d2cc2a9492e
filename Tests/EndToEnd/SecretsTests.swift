import Foundation
import JSONEnvelope
import StandInSupport
import Testing

extension ServerFromOutside {
  /// Credentials, device tokens and texts are marked, and looked for in everything that the server says of itself.
  @Suite("Secrets marked in a full run", .timeLimit(.minutes(3)))
  struct SecretsTests {
    @Test("appear in no log at its finest level, no metric, no error body and no command's output")
    func marked() async throws {
      let apns = try await StandIn.start("apns.py")
      defer { apns.stop() }
      let fcm = try await StandIn.start("fcm.py")
      defer { fcm.stop() }
      try await PushReceiver.run { receiver in
        var marks = Marks(apns, fcm, receiver)
        try await ServerProcess.run(marks.options(receiver)) { server in
          marks.add("the agent's token", server.token())
          let errors = try await play(server, marks, receiver)
          for command in [["config", "check"], ["config", "check", "--show"]] {
            let result = try await server.command(command + ["--config", server.configurationFile])
            marks.judge(result.output, "the output of \(command.joined(separator: " "))")
          }
          marks.judge(try await server.wire().get("/metrics").text, "the metrics")
          for error in errors { marks.judge(error, "an error body") }
          _ = try await server.stop()
          #expect(server.log.contains("push ended undelivered"), "failures were told of at all")
          marks.judge(server.log, "the log")
        }
      }
    }

    /// Deliveries and failures of every kind of device, and requests that are refused.
    /// - Returns: the bodies of the refusals.
    private func play(_ server: ServerProcess, _ marks: Marks, _ receiver: PushReceiver) async throws -> [String] {
      for (type, device) in marks.devices {
        let chat = try await PushPayloadTests.away(server, type: type, device: device)
        try await PushPayloadTests.write(chat, server, [marks.text])
      }
      try await eventually("the ends of \(marks.devices.count) pushes", within: .seconds(60)) {
        let settled = try await server.wire().get("/metrics").text.split(separator: "\n")
          .filter { $0.hasPrefix("carillon_push_settled_total{") || $0.hasPrefix("carillon_push_skipped_total{") }
          .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
        return settled >= Double(marks.devices.count) ? true : nil
      }
      var errors: [String] = []
      let wire = server.wire(user: marks.text)
      for (path, body) in [
        ("/devices/1", #"{"type":"ios","identifier":"\#(marks.text)\t"}"#),
        ("/devices/1", #"{"type":"\#(marks.text)"}"#),
        ("/admin/1/devices", #"{"identifier":"\#(marks.text)"}"#), ("/genesys/cometd", "[\"\(marks.text)"),
        ("/genesys/1/service/\(marks.text)", "{}"),
      ] {
        let answer = try await wire.ask("POST", path, Array(body.utf8))
        #expect(answer.status >= 400, "\(path)")
        errors.append(answer.text)
      }
      let forged = Wire(port: server.port, headers: [("Authorization", "Bearer \(marks.text)")])
      errors.append(try await forged.get("/agent/1/chats").text)
      return errors
    }

    private struct Marks {
      /// A text of a chat that nobody but its people should read; also sent where it does not belong.
      let text = "MARK-text-of-a-chat-5c1f"
      let devices: [(type: String, device: String)]
      private var secrets: [(name: String, value: String)]
      private let apns: StandIn
      private let fcm: StandIn

      init(_ apns: StandIn, _ fcm: StandIn, _ receiver: PushReceiver) {
        (self.apns, self.fcm) = (apns, fcm)
        let rows = apns.hello["rows"] as? [String: any Sendable] ?? [:]
        devices = [
          ("ios", PushPayloadTests.iosToken), ("ios", rows["Unregistered"] as? String ?? ""),
          ("ios", rows["PayloadTooLarge"] as? String ?? ""), ("gcm", "MARK-gcm-registration-token-77"),
          ("fcm", "MARK-fcm-registration-token-77"), ("fcm", "unregistered"),
          ("httpcb", receiver.url("/MARK-secret-path?MARK-secret-query=1")),
          ("httpcb", "http://192.168.7.7/MARK-secret-path-of-a-private-host"),
          ("customhttp", "MARK-customhttp-device-id"),
        ]
        secrets = devices.filter { $0.device.count > 16 }.map { ("a device id of type \($0.type)", $0.device) }
        secrets += [
          ("a text", text), ("an API key", Self.apiKey), ("a webhook secret", Self.webhookSecret),
          ("part of a URL", "MARK-secret-path"), ("part of a URL", "MARK-secret-query"),
          ("the operator's password", Self.password),
        ]
        let keys = [(apns.hello["key"] as? String).flatMap { try? String(contentsOfFile: $0, encoding: .utf8) }]
        for case let text? in keys + [fcm.hello["private_key"] as? String] {
          // Any long line of a key is enough to know it by.
          let lines = text.replacing("\\n", with: "\n").split(separator: "\n").filter {
            $0.count >= 40 && !$0.contains("-----")
          }
          secrets += lines.map { ("a line of a private key", String($0)) }
        }
      }

      private static let apiKey = "AIza-legacy-key"
      private static let webhookSecret = "whsec_TUFSSy1zZWNyZXQtb2YtYS13ZWJob29rLTAwMDA="
      private static let password = "MARK-basic-password"

      func options(_ receiver: PushReceiver) -> ServerOptions {
        var options = PushPayloadTests.options(apple: apns, google: fcm)
        options["server", default: [:]]["log_level"] = "trace"
        options["push", default: [:]].merge([
          "pushEnabled": "comet,ios,gcm,fcm,httpcb,customhttp", "customhttp.url": receiver.url(),
          "webhooks.allow_private": "127.0.0.1/32", "webhooks.secret": Self.webhookSecret,
        ]) { $1 }
        options["service.locked"] = ["username": "u", "password": Self.password]
        return options
      }

      mutating func add(_ name: String, _ value: String) { secrets.append((name, value)) }

      func judge(_ text: String, _ where: String) {
        for secret in secrets where !secret.value.isEmpty && text.contains(secret.value) {
          Issue.record("\(`where`) holds \(secret.name)")
        }
      }
    }
  }
}
