import Foundation
import Testing

/// What a connection costs once its client has left: nothing. Each kind runs in a process of its own, where nobody else
/// allocates, and the bytes in use are read from the allocator.
@Suite("Clients that leave, a hundred thousand of each kind", .timeLimit(.minutes(10)))
struct DepartureTests {
  @Test("a held poll whose client closes its side")
  func pollClosed() async {
    await #expect(processExitsWith: .success) { try await Departures.run(.pollClosed) }
  }

  @Test("a held poll whose connection is reset")
  func pollReset() async {
    await #expect(processExitsWith: .success) { try await Departures.run(.pollReset) }
  }

  @Test("a WebSocket that holds a connect")
  func webSocket() async {
    await #expect(processExitsWith: .success) { try await Departures.run(.webSocket) }
  }

  @Test("a device's socket")
  func deviceSocket() async {
    await #expect(processExitsWith: .success) { try await Departures.run(.deviceSocket) }
  }

  @Test("an agent's stream of events")
  func agentStream() async {
    await #expect(processExitsWith: .success) {
      try await Departures.runStream("/agent/1/events", isOperator: false)
    }
  }

  @Test("an agent's socket")
  func agentSocket() async {
    await #expect(processExitsWith: .success) { try await Departures.runAgentSocket() }
  }

  @Test("a stream of what happens to messages")
  func messageStream() async {
    await #expect(processExitsWith: .success) {
      try await Departures.runStream("/admin/1/messages/stream", isOperator: true)
    }
  }

  @Test("a connection that was served and is idle")
  func idle() async {
    await #expect(processExitsWith: .success) { try await Departures.run(.idle) }
  }

  @Test("a head of which half has come")
  func halfHead() async {
    await #expect(processExitsWith: .success) { try await Departures.run(.halfHead) }
  }

  @Test("a body of which half has come")
  func halfBody() async {
    await #expect(processExitsWith: .success) { try await Departures.run(.halfBody) }
  }
}
