import CarillonClient
import Conservation

/// An agent who posts at a steady pace, now to this customer, now to that, one message at a time.
actor SoakAgent {
  let client: AgentClient
  private let world: SoakWorld
  private let number: Int
  private var chats: [SoakChat] = []
  /// The chat that is being posted to.
  private var posting: SoakChat?
  private var random: SplitMix64

  init(_ world: SoakWorld, number: Int) {
    self.world = world
    self.number = number
    client = AgentClient(world.server.address, token: world.server.agentToken)
    random = world.random(number)
  }

  func take(_ chat: SoakChat) { chats.append(chat) }

  /// Once this returns nothing is under way to that chat any more.
  func drop(_ chat: SoakChat) async {
    chats.removeAll { $0 === chat }
    while posting === chat { try? await Task.sleep(for: .milliseconds(2)) }
  }

  /// Until the soak is over.
  /// - Parameter rate: messages a second of this agent.
  func work(rate: Double) async {
    let interval = Duration.seconds(1 / rate)
    var due = ContinuousClock.now + interval * Double.random(in: 0..<1, using: &random)
    while !world.isOver {
      try? await Task.sleep(until: due, tolerance: .zero, clock: .continuous)
      if !world.server.isServing {
        // What would have been due meanwhile is nobody's.
        guard (try? await world.server.untilServing()) != nil else { return }
        due = .now
      }
      if let chat = chats.randomElement(using: &random) {
        posting = chat
        await post(to: chat, due: due)
        posting = nil
      }
      due += interval
    }
  }

  private func post(to chat: SoakChat, due: ContinuousClock.Instant) async {
    let text = chat.nextText(due: due)
    do {
      guard let position = try await client.send(text, to: chat.ledger.chatID) else {
        return chat.ledger.violate("no position for \(text.prefix(30))")
      }
      chat.ledger.acknowledge(text, at: position)
      world.tally.count { $0.acknowledged += 1 }
    } catch {
      switch error {
      // Nobody has read it, or it was refused: it must not appear.
      case .unreachable, .refused(status: 503, _): try? await Task.sleep(for: SoakWorld.pause)
      case .refused(let status, let message):
        chat.ledger.violate("\(text.prefix(30)) was answered with \(status): \(message)")
      default:
        chat.ledger.doubt(text)
        world.tally.count { $0.doubted += 1 }
      }
    }
  }
}
