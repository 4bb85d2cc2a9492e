import Bayeux

/// A request on its way: its messages and, place by place, the replies.
struct CometRequest {
  let arrived: ArrivedRequest
  var messages: [BayeuxMessage] { arrived.messages }
  var replies: [SessionReply?]

  init(_ arrived: ArrivedRequest) {
    self.arrived = arrived
    replies = Array(repeating: nil, count: arrived.messages.count)
  }

  /// The places of subscriptions, but for those that stand behind a publish: what that brings is not theirs.
  var subscriptionsFirst: [Int] {
    let leading = messages.firstIndex { !($0.channel ?? "/meta/").hasPrefix("/meta/") } ?? messages.count
    return messages[..<leading].indices.filter { messages[$0].channel == ChannelName.subscribe }
  }

  /// As the messages came, but the connect's last: it carries events, which clients drop until they have seen their
  /// subscription confirmed. Spec: GMS 4.4, 6.5.
  var inOrder: [SessionReply] {
    var inOrder = replies.compactMap { $0 }
    if let index = inOrder.firstIndex(where: { if case .connect = $0 { true } else { false } }) {
      inOrder.append(inOrder.remove(at: index))
    }
    return inOrder
  }

  /// For requests without a session: no reply waits for one.
  var finished: [[UInt8]] {
    inOrder.compactMap { reply in
      if case .ready(let bytes) = reply { return bytes }
      return nil
    }
  }
}
