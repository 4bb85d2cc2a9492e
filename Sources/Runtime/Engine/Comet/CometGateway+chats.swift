import Bayeux
import ChatDomain
import EntityRuntime
import EventSourcing
import Synchronization

/// What the chats are told of their customer's sessions, and what the sessions' clients have. Spec: GMS 4.5, 6.1, 6.2.
extension CometGateway {
  // MARK: Positions

  /// The client goes on: what was written to it before has come, unless it says otherwise or a connection shows that it
  /// cannot have. What has not come is put before all that waits.
  func settle(_ messages: [BayeuxMessage], of session: CometSession, on exchange: CometExchange) async {
    let own = messages.filter { $0.clientID == session.clientID }
    guard !own.isEmpty, let chats = chats.withLock({ $0 }) else { return }
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
    let gaps = await session.gaps(stating: position, of: named, lost: lost)
    guard !gaps.isEmpty else { return }
    if !leaves {
      await session.untilDurable()
      for gap in gaps {
        let isStated = position.map { gap.has == $0 } ?? false
        await session.redeliver(
          await interpreter.value.repetition(
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
  func state(_ position: Int, by session: CometSession) async {
    guard let chats = chats.withLock({ $0 }) else { return }
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
      if named.count > 1, let chat = chats.withLock({ $0?.directory[service] }) {
        let has = await chat.peek { max($0.basePosition, $0.writtenPosition) }
        position = min(position, max(has, await confirmed(of: service)))
      }
      await session.state(position, of: service)
    }
  }

  /// The highest position of a chat that any session of its customer has confirmed.
  private func confirmed(of service: String) async -> Int {
    guard let chats = chats.withLock({ $0 }) else { return 0 }
    var highest = 0
    for session in chats.sessions(of: service) {
      highest = max(highest, await session.confirmed(of: service))
    }
    return highest
  }

  // MARK: Leaving

  func leave(_ session: CometSession, _ message: BayeuxMessage) async {
    guard let chats = chats.withLock({ $0 }) else { return }
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
  func repair(_ message: BayeuxMessage, on exchange: CometExchange) async {
    guard let userKey = exchange.userKey, let position = message.transcriptPosition,
      let chats = chats.withLock({ $0 })
    else { return }
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
    guard let chats = chats.withLock({ $0 }) else { return }
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
  func tellChats(
    of session: CometSession, elsewhere: Bool = true,
    _ action: @Sendable (_ delivered: Int, _ stated: Int?) -> ChatAction
  ) async {
    guard let chats = chats.withLock({ $0 }) else { return }
    for service in chats.services(of: session) {
      var delivered = await session.confirmed(of: service)
      if elsewhere { delivered = max(delivered, await confirmed(of: service)) }
      await chats.tell(service, action(delivered, await session.stated(of: service)))
    }
  }
}
