import CarillonClient
import Conservation
import JSONEnvelope
import Synchronization
import TestSupport

/// Posts message after message, each text once, and writes down what was acknowledged.
struct KillLoad: Sendable {
  let name: String
  let ledgers: [DeliveryLedger]
  let pool: HTTPPool
  /// The agent's token; nil: the customers themselves.
  let token: String?

  /// Until `isOver`.
  func run(seed: UInt64, until isOver: @Sendable () -> Bool) async {
    var random = SeededGenerator(seed: seed)
    var number = 0
    while !isOver(), !Task.isCancelled {
      guard let ledger = ledgers.randomElement(using: &random) else { return }
      number += 1
      // Some are long, so that frames and segments end anywhere.
      let padding = String(repeating: "x", count: Int.random(in: 0...9, using: &random) == 0 ? 3_000 : 20)
      await post("\(name) \(number) \(padding)", ledger)
      try? await Task.sleep(for: .milliseconds(Int.random(in: 0...6, using: &random)))
    }
  }

  private func post(_ text: String, _ ledger: DeliveryLedger) async {
    let request: HTTPRequest
    if let token {
      request = HTTPRequest(
        .post, "/agent/1/chats/\(ledger.chatID)/messages", headers: [(name: "Authorization", value: "Bearer \(token)")],
        contentType: "application/json", body: JSONValue.object(["text": .string(text)]).text)
    } else {
      request = HTTPRequest(
        .post, Wire.chat(ledger.serviceID, "/send"), headers: [(name: "gms_user", value: ledger.user)],
        contentType: "application/x-www-form-urlencoded",
        body: formEncoded([(name: "message", value: text)]))
    }
    do {
      let response = try await pool.response(to: request)
      switch response.status {
      case 200:
        let reply = try JSONValue(parsing: response.bodyBytes)
        if token == nil, let position = reply["transcriptPosition"]?.lenientInteger {
          // The customer's answer names the last event that there is, which may be a later one.
          ledger.acknowledge(text, notAfter: position)
        } else if let position = reply["position"]?.integer {
          ledger.acknowledge(text, at: position)
        } else {
          ledger.violate("no position for “\(text.prefix(30))”")
        }
      // Not ready: refused, so it must not appear.
      case 503: return
      default:
        ledger.violate(
          "“\(text.prefix(30))” to \(ledger.serviceID) was answered \(response.status): "
            + String(decoding: response.bodyBytes, as: UTF8.self))
      }
    } catch ClientError.unreachable {
      // Nobody has read it.
    } catch {
      ledger.doubt(text)
    }
  }
}
