import Bayeux
import ChatDomain
import CometEngine
import EntityRuntime
import EventSourcing

/// What the chats are told of their customer's sessions, and what the sessions' clients have. Spec: GMS 4.5, 6.1, 6.2.
struct ChatRides: CometFollower {
  let chats: ChatService
  let interpreter: ChatInterpreter

  // MARK: What becomes of a session

  func connected(_ session: CometSession) async {
    await tell(session) { .cometConnected(session: session.clientID, delivered: $0, stated: $1) }
  }

  func subscribed(_ session: CometSession) async {
    await tell(session) { .cometSubscribed(session: session.clientID, delivered: $0, stated: $1) }
  }

  func unsubscribed(_ session: CometSession) async {
    await tell(session) { has, _ in .cometUnsubscribed(session: session.clientID, delivered: has) }
  }

  /// Fills the queue of a restored session from the transcripts, and tells chats of a subscription that the crash kept
  /// from them.
  func returned(_ session: CometSession) async {
    let isSubscribed = await session.isSubscribed
    for serviceID in chats.services(of: session) {
      guard let chat = chats.directory[serviceID] else { continue }
      let delivered = await session.delivered(of: serviceID)
      let clientID = session.clientID
      let isKnown = await chat.peek { $0.subscribedSessions.contains(clientID) }
      // Also to one that subscribes anew: what it was sent before it had unsubscribed may not have reached it.
      let missed = await interpreter.notifications(for: clientID, in: chat) {
        $0.catchUp(for: clientID, delivered: delivered)
      }
      for message in missed { await session.deliver(message, isCatchUp: true) }
      if isSubscribed, !isKnown {
        let has = await session.confirmed(of: serviceID)
        await chat.post(
          ChatCommand(.cometSubscribed(session: clientID, delivered: has), policy: chats.policy(of: serviceID)))
      }
    }
  }

  func lost(_ session: CometSession) async {
    await tell(session, elsewhere: false) { has, _ in .cometLost(session: session.clientID, delivered: has) }
  }

  // MARK: Positions

  /// The client goes on: what was written to it before has come, unless it says otherwise or a connection shows that it
  /// cannot have. What has not come is put before all that waits.
  func settle(_ request: ArrivedRequest, of session: CometSession, on exchange: CometExchange) async {
    let own = request.messages.filter { $0.clientID == session.clientID }
    guard !own.isEmpty else { return }
    let connect = own.first { $0.channel == ChannelName.connect }
    let leaves = own.contains { $0.channel == ChannelName.disconnect }
    // Other requests may have crossed an answer and show nothing. A socket is where the client has moved to: what waits
    // goes out there at once.
    guard connect != nil || leaves || exchange.transport == .webSocket else { return }
    let lost = await lost(by: session, speakingOver: exchange)
    guard connect != nil || leaves || !lost.isEmpty else { return }
    let position = connect?.transcriptPosition
    let named = position == nil ? [] : await chats.named(by: chats.services(of: session))
    if let position, await !session.isConnected { await note(position, of: named, by: session) }
    let gaps = await session.gaps(stating: position, of: named, seen: request.seen, lost: lost)
    guard !gaps.isEmpty else { return }
    if !leaves {
      await session.untilDurable()
      for gap in gaps {
        let isStated = position.map { gap.has == $0 } ?? false
        await session.redeliver(
          await interpreter.repetition(
            of: gap.chat, for: session.clientID, after: gap.has, upTo: gap.written, isStated: isStated))
      }
    }
    await session.endCatchUp()
  }

  /// The connections that broke before the client's machine had all that was written to them.
  private func lost(by session: CometSession, speakingOver exchange: CometExchange) async -> [any CometSink] {
    var (asked, lost) = ([any CometSink](), [any CometSink]())
    // What was written while one was asked is asked too.
    while asked.count < DeliveryProgress.askedMaximum {
      let open = await session.carriers(left: exchange).filter { sink in !asked.contains { $0 === sink } }
      if open.isEmpty { break }
      for sink in open where await !sink.hasArrived() { lost.append(sink) }
      asked += open
    }
    return lost
  }

  /// A handshake has named a position: it counts for the chats that there are, from now on.
  func handshaken(_ session: CometSession, stating position: Int) async {
    let named = await chats.named(by: chats.services(of: session))
    await note(position, of: named, by: session)
    for service in named {
      await chats.tell(
        service, .statePosition(position, concernsSeveralChats: named.count > 1, replacesStated: true))
    }
  }

  /// Keeps the position for the moment when the session gets the chats' events. One for several chats is believed only
  /// as far as it can be true.
  private func note(_ position: Int, of named: [String], by session: CometSession) async {
    for service in named {
      var position = position
      if named.count > 1, let chat = chats.directory[service] {
        let has = await chat.peek { max($0.basePosition, $0.writtenPosition) }
        position = min(position, max(has, await confirmed(of: service)))
      }
      await session.state(position, of: service)
    }
  }

  /// The highest position of a chat that any session of its customer has confirmed.
  private func confirmed(of service: String) async -> Int {
    var highest = 0
    for session in chats.sessions(of: service) {
      highest = max(highest, await session.confirmed(of: service))
    }
    return highest
  }

  // MARK: Leaving

  func left(_ session: CometSession, _ message: BayeuxMessage) async {
    let services = chats.services(of: session)
    let concernsSeveralChats = await chats.concernsSeveral(services)
    for service in services {
      let has = await session.confirmed(of: service)
      await disconnect(session.clientID, from: service) { departed in
        .cometDisconnected(
          session: session.clientID, position: message.transcriptPosition, delivered: has,
          concernsSeveralChats: concernsSeveralChats, departed: departed)
      }
    }
  }

  /// A disconnect with an expired clientId still says where its user stands: a client that was killed and started
  /// again posts exactly this. Spec: GMS 4.5.
  func strayed(_ message: BayeuxMessage, on exchange: CometExchange) async {
    guard let userKey = exchange.userKey, let position = message.transcriptPosition else { return }
    let services = chats.services(userKey: userKey, serviceID: nil)
    let concernsSeveralChats = await chats.concernsSeveral(services)
    let clientID = message.clientID ?? ""
    for service in services {
      await disconnect(clientID, from: service) { departed in
        .cometDisconnected(
          session: clientID, position: position, delivered: 0, concernsSeveralChats: concernsSeveralChats,
          departed: departed)
      }
    }
  }

  /// Sessions of the same customer that hold no connect and have no open socket do not keep the flag from taking effect:
  /// it is the same phone, killed and started again. One that comes back after all is back at once.
  /// Spec: GMS 6.2, last paragraph but one.
  private func disconnect(
    _ clientID: String, from service: String, _ action: (_ departed: Set<String>) -> ChatAction
  ) async {
    var departed: [CometSession] = []
    for other in chats.sessions(of: service) where other.clientID != clientID {
      if await other.setAside() { departed.append(other) }
    }
    await chats.tell(service, action(Set(departed.map(\.clientID))))
    for other in departed where await !other.isSetAside {
      // It has come meanwhile, and told the chat before this did.
      let has = await other.confirmed(of: service)
      await chats.tell(service, .cometConnected(session: other.clientID, delivered: has))
    }
  }

  // MARK: Telling

  /// - Parameters:
  ///   - elsewhere: hand the highest position that any session of the customer has confirmed, else this one.
  ///   - action: of that position, and of what the app has said that it has.
  private func tell(
    _ session: CometSession, elsewhere: Bool = true,
    _ action: @Sendable (_ delivered: Int, _ stated: Int?) -> ChatAction
  ) async {
    for service in chats.services(of: session) {
      var delivered = await session.confirmed(of: service)
      if elsewhere { delivered = max(delivered, await confirmed(of: service)) }
      await chats.tell(service, action(delivered, await session.stated(of: service)))
    }
  }
}
