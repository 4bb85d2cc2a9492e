import EventSourcing
import JSONEnvelope
public import PushDomain

/// What the server says to an app server of its own accord, as JSON text. Spec: GCM C9, C12, C13.
public enum CCSDelivery {
  /// A message of a device, or a receipt.
  public static func bytes(of mail: Mail) -> [UInt8] {
    var writer = JSONWriter(capacity: 256 + mail.contentBytes)
    writer.beginObject()
    if let original = mail.receiptFor {
      writer.member("message_type", "receipt")
      writer.member("from", "gcm.googleapis.com")
      writeData(of: receipt(mail, for: original), into: &writer)
    } else {
      writer.member("from", mail.origin)
      writeData(of: mail.pairs, into: &writer)
    }
    writer.member("category", mail.category)
    writer.member("message_id", mail.id)
    writer.endObject()
    return writer.bytes
  }

  /// The server is about to close the connection: no new messages, please.
  public static let draining = Array(#"{"message_type":"control","control_type":"CONNECTION_DRAINING"}"#.utf8)

  /// What the engine knows better than the mail's own members stands among its pairs.
  private static func receipt(_ mail: Mail, for original: String) -> [MailPair] {
    let known = Set(mail.pairs.map(\.key))
    let own = [
      MailPair("message_status", "MESSAGE_SENT_TO_DEVICE"), MailPair("original_message_id", original),
      MailPair("device_registration_id", mail.origin),
      MailPair("message_sent_timestamp", String(mail.acceptedAt.milliseconds)),
    ]
    return own.filter { !known.contains($0.key) } + mail.pairs
  }

  private static func writeData(of pairs: [MailPair], into writer: inout JSONWriter) {
    writer.key("data")
    writer.beginObject()
    for pair in pairs {
      writer.key(pair.key)
      writer.string(pair.value)
    }
    writer.endObject()
  }
}
