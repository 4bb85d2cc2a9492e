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

  @Test(
    "whoever comes back with a number that is none of ours is told to look anew",
    arguments: [0, 1, 5_000, UInt64(Int64.max), .max - 1, .max])
  func strangeNumber(number: UInt64) async {
    let feed = AgentFeed(limits: EngineLimits(), time: SystemTime(), firstNumber: 100)
    let viewer = AgentViewer(id: "anna", isSupervisor: true)
    let first = feed.events(after: nil, for: viewer)
    for _ in 0..<3 {
      feed.publish(
        chatID: "", serviceID: "", .agent(id: "anna", isReady: true),
        to: AgentAudience(service: nil, isOpen: true))
    }
    var events = feed.events(after: number, for: viewer).makeAsyncIterator()
    guard case .reset? = await events.next()?.kind else {
      Issue.record("not told")
      return
    }
    _ = first
  }

  private final class Flag: Sendable { let value = Atomic(false) }
}
