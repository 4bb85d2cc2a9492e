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
    JSONWriter.exactObject(capacity: 128 + title.utf8.count + body.utf8.count) { notification in
      notification.member("via", Int(integration.rawValue))
      notification.member("devices", devices)
      notification.member("title", title)
      notification.member("body", body)
      notification.member("ticket", ticket)
    }
  }

  /// The body of the webhook, byte by byte. Spec: support requests 5.
  func webhookBody(to devices: [SupportDevice]) -> [UInt8] {
    JSONWriter.object(capacity: 256 + body.utf8.count + devices.count * 100) { webhook in
      webhook.objects("devices", devices) { device, object in
        object.member("identifier", device.identifier)
        object.member("type", device.platform == .ios ? "ios" : "android")
      }
      webhook.object("notification") { notification in
        notification.member("body", body)
        notification.member("title", title)
        notification.member("ticket_id", ticket)
      }
    }
  }

  /// What the app reads, as both of the SDK's names; with the texts for phones that show what the app makes of it.
  /// Spec: support requests 6.1.
  static func keys(ticket: String, texts: (title: String, body: String)?) -> [UInt8] {
    JSONWriter.object(capacity: 96) { keys in
      keys.member("zendesk_sdk_request_id", ticket)
      keys.member("tid", ticket)
      keys.member("title", ifPresent: texts?.title)
      keys.member("body", ifPresent: texts?.body)
    }
  }
}
