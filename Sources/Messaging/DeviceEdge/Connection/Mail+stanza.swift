import EngineKit
import EventSourcing
import MCSProtocol
import MessagingEngine
import PushDomain

extension MCSDataMessageStanza {
  /// A message as the device gets it. Who wants a receipt is none of its business. Spec: GCM D7.
  init(_ mail: Mail) {
    self.init()
    from = mail.origin
    category = mail.category
    if let collapseKey = mail.collapseKey { token = collapseKey }
    appData = mail.pairs.map { MCSAppData($0.key, $0.value) }
    rawBytes = mail.rawData
    persistentID = mail.id
    ttl = Int32(clamping: mail.timeToLive)
    sent = mail.acceptedAt.milliseconds
    immediateAck = false
  }
}

extension UpstreamMessage {
  /// What a device that names none gets: as long as Chromium keeps its own. Spec: GCM D9.
  private static let defaultTimeToLive = 86_400
  /// Spec: GCM S51.
  private static let timeToLiveMaximum = 2_419_200

  /// A message of the device. Spec: GCM D9.
  init(_ stanza: MCSDataMessageStanza) {
    self.init(
      id: stanza.messageID, category: stanza.category,
      subtype: stanza.appData.first { $0.key == MCSAppData.subtypeKey }?.value,
      pairs: stanza.appData.filter { $0.key != MCSAppData.subtypeKey }.map { MailPair($0.key, $0.value) },
      timeToLive: stanza.hasTtl ? min(max(Int(stanza.ttl), 0), Self.timeToLiveMaximum) : Self.defaultTimeToLive)
  }
}
