import SwiftProtobuf

/// What the client's stanzas ask of the engine, in their order.
extension MCSSession {
  mutating func ask(_ kind: Work.Kind, _ actions: inout [MCSAction]) {
    works.append(Work(number: receivedCount, kind: kind))
    goOn(&actions)
  }

  /// Gives the engine the next thing to do, unless it is busy. Acknowledgements in a row are one.
  private mutating func goOn(_ actions: inout [MCSAction]) {
    guard worksInHand == 0, let first = works.first else { return }
    if case .send(let message) = first.kind {
      worksInHand = 1
      actions.append(.send(message))
    } else {
      let acknowledgements = works.prefix { !$0.isMessage }
      worksInHand = acknowledgements.count
      actions.append(.acknowledge(acknowledgements.flatMap(\.acknowledgedIDs)))
    }
  }

  mutating func acknowledged(_ actions: inout [MCSAction]) {
    guard let first = works.first, !first.isMessage else { return }
    works.removeFirst(worksInHand)
    worksInHand = 0
    goOn(&actions)
  }

  mutating func upstreamAnswered(_ answer: MCSUpstreamAnswer, _ actions: inout [MCSAction]) {
    guard worksInHand == 1, case .send(let message) = works.first?.kind else { return }
    // Not taken, so never acknowledged: only a new connection makes the device send it again.
    guard answer != .unavailable else { return close(.unavailable, saysSo: true, &actions) }
    works.removeFirst()
    worksInHand = 0
    untoldCount += 1
    if case .refused(let reason) = answer {
      write(.dataMessage(Self.sendError(reason, about: message)), &actions)
    } else if message.immediateAck || untoldCount >= MCSLimits.streamAckEvery {
      write(.iq(.streamAck), &actions)
    }
    goOn(&actions)
  }

  /// Tells the app that a message of its own will not arrive. Spec: GCM D8.11; the id's key is Chromium's and Android's.
  private static func sendError(_ reason: String, about message: MCSDataMessageStanza) -> MCSDataMessageStanza {
    var pairs = [
      MCSAppData("message_type", "send_error"), MCSAppData("google.message_id", message.messageID),
      MCSAppData("error", reason),
    ]
    // Which of several apps behind one category it was. Spec: GCM D8.12.
    if let subtype = message.appData.first(where: { $0.key == MCSAppData.subtypeKey }) { pairs.append(subtype) }
    return .with {
      $0.from = message.to
      $0.category = message.category
      $0.appData = pairs
    }
  }
}

extension MCSSession.Work {
  fileprivate var isMessage: Bool { if case .send = kind { true } else { false } }

  var acknowledgedIDs: [String] { if case .acknowledge(let ids) = kind { ids } else { [] } }
}

extension MCSDataMessageStanza {
  /// The id that the device knows its own message by.
  public var messageID: String { hasID ? id : persistentID }

  /// Which message of the device will not arrive, and why, if this says so.
  public var sendFailure: (id: String, reason: String)? {
    // An app server's own messages have a persistent id, whatever is in them.
    guard !hasPersistentID, value(of: "message_type") == "send_error" else { return nil }
    return (value(of: "google.message_id") ?? "", value(of: "error") ?? "")
  }

  private func value(of key: String) -> String? { appData.first { $0.key == key }?.value }
}

extension MCSAppData {
  /// Names the registration that a message belongs to, beside the category. Spec: GCM D8.12.
  public static let subtypeKey = "subtype"

  public init(_ key: String, _ value: String) {
    self.init()
    self.key = key
    self.value = value
  }
}
