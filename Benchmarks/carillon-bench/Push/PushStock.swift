import EntityRuntime
import EventSourcing
import JSONEnvelope
import PushDomain

/// Pushes such as chats make, to a fixed set of devices.
struct PushStock: Sendable {
  let devices: [PushAddress]
  private let text: String

  /// - Parameter devices: where the pushes go, each with a producer of its own.
  init(_ devices: [PushAddress]) {
    self.devices = devices
    var random = SplitMix64(seed: 7)
    text = MessageText.make(&random)
  }

  /// A token as Apple's are: 32 bytes in hex digits.
  static func token(_ index: Int) -> String {
    var random = SplitMix64(seed: UInt64(index))
    return (0..<4).map { _ in hex(random.next(), digits: 16) }.joined()
  }

  private static func hex(_ value: UInt64, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// - Parameters:
  ///   - number: rises with each push.
  ///   - device: index of the device, and of the chat that it comes from.
  func message(_ number: Int, to device: Int, priority: PushPriority = .high) -> PushMessage {
    let service = "1-7d3f2a10-9c4e-4b21-8a55-" + Self.hex(UInt64(device), digits: 12)
    return PushMessage(
      producer: service, number: number, tag: "chat.newagentmessage", alert: Self.alert,
      content: content(service, number, hasTranscript: true),
      compactContent: content(service, number, hasTranscript: false),
      service: "request-chat", target: devices[device],
      expiry: SystemTime().now.advanced(by: .seconds(3_600)), priority: priority, owner: "customer-\(device)")
  }

  private static let alert = "New message from Agent"

  /// Spec: GMS 7.2.
  private func content(_ service: String, _ number: Int, hasTranscript: Bool) -> [UInt8] {
    JSONWriter.exactObject(capacity: 256) { content in
      content.member("message", Self.alert)
      content.member("serviceId", service)
      guard hasTranscript else { return }
      content.array("lastTranscript") { lines in
        lines.object { line in
          line.member("Message.Text", String(decoding: MessageText.prefix(number), as: UTF8.self) + text)
        }
      }
    }
  }
}
