import JSONEnvelope
import SupportDomain

/// A notification as it waits in the queue: texts are made already, devices are looked at once more when it goes out.
/// A JSON object: `via`, `devices`, `title`, `body`, `ticket`. The names are frozen (journal).
struct SupportNotification: Equatable, Sendable {
  let integration: SupportIntegration
  /// The ids of the user's devices.
  let devices: [Int]
  let title: String
  let body: String
  let ticket: String

  init(integration: SupportIntegration, devices: [Int], title: String, body: String, ticket: String) {
    self.integration = integration
    self.devices = devices
    self.title = title
    self.body = body
    self.ticket = ticket
  }

  init?(bytes: [UInt8]) {
    guard let value = try? JSONValue(parsing: bytes),
      let raw = value["via"]?.integer.flatMap({ UInt8(exactly: $0) }),
      let integration = SupportIntegration(rawValue: raw), let devices = value["devices"]?.array,
      let title = value["title"]?.string, let body = value["body"]?.string, let ticket = value["ticket"]?.string
    else { return nil }
    self.init(
      integration: integration, devices: devices.compactMap { $0.integer.map { Int($0) } }, title: title, body: body,
      ticket: ticket)
  }

  var bytes: [UInt8] {
    var writer = JSONWriter(capacity: 128 + title.utf8.count + body.utf8.count)
    writer.beginObject()
    writer.key("via")
    writer.integer(integration.rawValue)
    writer.key("devices")
    writer.beginArray()
    for device in devices { writer.integer(device) }
    writer.endArray()
    writer.key("title")
    writer.string(title)
    writer.key("body")
    writer.string(body)
    writer.key("ticket")
    writer.string(ticket)
    writer.endObject()
    // Exactly as long as it is: it may wait for days, and the writer has room for more.
    return writer.bytes.withUnsafeBufferPointer { Array($0) }
  }

  /// The body of the webhook, byte by byte. Spec: support requests 5.
  func webhookBody(to devices: [SupportDevice]) -> [UInt8] {
    var writer = JSONWriter(capacity: 256 + body.utf8.count + devices.count * 100)
    writer.beginObject()
    writer.key("devices")
    writer.beginArray()
    for device in devices {
      writer.beginObject()
      writer.key("identifier")
      writer.string(device.identifier)
      writer.key("type")
      writer.string(device.platform == .ios ? "ios" : "android")
      writer.endObject()
    }
    writer.endArray()
    writer.key("notification")
    writer.beginObject()
    writer.key("body")
    writer.string(body)
    writer.key("title")
    writer.string(title)
    writer.key("ticket_id")
    writer.string(ticket)
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }

  /// What the app reads, as both of the SDK's names; with the texts for phones that show what the app makes of it.
  /// Spec: support requests 6.1.
  static func keys(ticket: String, texts: (title: String, body: String)?) -> [UInt8] {
    var writer = JSONWriter(capacity: 96)
    writer.beginObject()
    writer.key("zendesk_sdk_request_id")
    writer.string(ticket)
    writer.key("tid")
    writer.string(ticket)
    if let texts {
      writer.key("title")
      writer.string(texts.title)
      writer.key("body")
      writer.string(texts.body)
    }
    writer.endObject()
    return writer.bytes
  }
}
