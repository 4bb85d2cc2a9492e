import ChatDomain
import Engine

/// An agent: joins, talks, leaves, and listens to the stream of events.
///
/// Safe to share: the whole simulation is one thread.
final class SimulatedAgent: @unchecked Sendable {
  /// Agents who wait to be chosen; integrations have other names.
  static let prefix = "agent-"

  unowned let world: World
  let id: String
  let nickname: String
  /// The number of the last event of the stream; nil before the first.
  private(set) var lastNumber: UInt64?
  /// The last position of each chat that the stream brought since it was whole.
  private var heard: [String: Int] = [:]
  private var stream = 0
  private(set) var isListening = false

  init(world: World, number: Int) {
    self.world = world
    id = Self.prefix + String(number)
    nickname = "Agent \(number)"
  }

  func listen(in life: Life) {
    stream += 1
    isListening = true
    let (stream, events) = (stream, life.engine.agents.events(after: lastNumber, for: .overseer))
    if lastNumber == nil { heard = [:] }
    Task.detached { [self] in
      for await event in events {
        guard !life.isOver, stream == self.stream else { return }
        hear(event)
      }
      if stream == self.stream { isListening = false }
    }
  }

  /// Reads no further; the stream is given up.
  func stopListening() {
    stream += 1
    isListening = false
  }

  private func hear(_ event: AgentEvent) {
    if case .reset = event.kind {
      heard = [:]
      lastNumber = event.number
      return
    }
    // A redaction takes the customer's events out of those that are kept.
    if let lastNumber, event.number != lastNumber + 1, !world.hasRedacted || event.number <= lastNumber {
      world.violated(.inOrderWithoutGaps, "\(id) hears event \(event.number) after \(lastNumber)")
    }
    lastNumber = event.number
    guard case .chat(.line(let line)) = event.kind, let position = line.position else { return }
    world.seen(
      position: position, ChatView.Line(line.content), of: event.serviceID, by: id)
    if let before = heard[event.serviceID], position != before + 1, !world.hasRedacted || position <= before {
      world.violated(.inOrderWithoutGaps, "\(id) hears \(position) of \(event.serviceID) after \(before)")
    }
    heard[event.serviceID] = position
  }

  /// The server's process is another now.
  func serverDied() {
    stopListening()
    heard = [:]
  }
}

extension AgentViewer {
  /// Who sees everything: what agents see of others' chats is no part of the simulation's model.
  static let overseer = AgentViewer(id: "overseer", isSupervisor: true)
}
