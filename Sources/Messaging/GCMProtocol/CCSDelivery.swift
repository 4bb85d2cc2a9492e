import EventSourcing
import JSONEnvelope
public import PushDomain

/// What the server says to an app server of its own accord, as JSON text. Spec: GCM C9, C12, C13.
public enum CCSDelivery {
  /// A message of a device, or a receipt.
  public static func bytes(of mail: Mail) -> [UInt8] {
    JSONWriter.object(capacity: 256 + mail.contentBytes) { message in
      if let original = mail.receiptFor {
        message.member("message_type", "receipt")
        message.member("from", "gcm.googleapis.com")
        message.object("data") { write(receipt(mail, for: original), into: &$0) }
      } else {
        message.member("from", mail.origin)
        message.object("data") { write(mail.pairs, into: &$0) }
      }
      message.member("category", mail.category)
      message.member("message_id", mail.id)
    }
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

  private static func write(_ pairs: [MailPair], into data: inout JSONObjectWriter) {
    for pair in pairs { data.member(named: pair.key, pair.value) }
  }
}
