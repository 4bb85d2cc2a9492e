import EngineKit
import EntityRuntime
import EventSourcing
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ChatEngine

@Suite("What agents are told, and who listens")
struct AgentFeedTests {
  @Test("a reader who leaves while something is told holds nobody up, and is gone soon after", .timeLimit(.minutes(1)))
  func leaving() async throws {
    let feed = AgentFeed(limits: EngineLimits(), time: SystemTime(), firstNumber: 1)
    let isOver = Flag()
    let hasEnded = await SideBySide.ends([
      {
        while !isOver.value.load(ordering: .relaxed) {
          feed.publish(
            chatID: "", serviceID: "", .agent(id: "anna", isReady: true),
            to: AgentAudience(service: nil, isOpen: true))
          usleep(20)
        }
      },
      {
        for round in 0..<3_000 {
          let events = feed.events(after: nil, for: AgentViewer(id: "anna", isSupervisor: true))
          let reading = Task { for await _ in events {} }
          // It waits for the next one as it is cancelled.
          usleep(UInt32(50 + round % 40))
          reading.cancel()
        }
        isOver.value.store(true, ordering: .relaxed)
      },
    ])
    try #require(hasEnded, "publish and the reader's end wait for each other")
    while feed.streamCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
  }

  private final class Flag: Sendable { let value = Atomic(false) }
}
