import EngineKit
import EventSourcing
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MessagingEngine

@Suite("The tap of messages, and who looks")
struct MessageTapTests {
  @Test("a reader who leaves while something is told holds nobody up, and is gone soon after", .timeLimit(.minutes(1)))
  func leaving() async throws {
    let tap = MessageTap(limits: EngineLimits(), now: { .epoch })
    let isOver = Flag()
    let hasEnded = await SideBySide.ends([
      {
        while !isOver.value.load(ordering: .relaxed) {
          tap.note {
            MessageStep(
              at: $0, kind: .stored, messageID: "1", sender: "s", app: "a", target: "t", collapseKey: nil, reason: nil)
          }
          usleep(20)
        }
      },
      {
        for round in 0..<3_000 {
          // Places are given back soon, and not at once.
          guard let steps = tap.follow(MessageTapFilter()) else {
            usleep(200)
            continue
          }
          let reading = Task { for await _ in steps {} }
          usleep(UInt32(50 + round % 40))
          reading.cancel()
        }
        isOver.value.store(true, ordering: .relaxed)
      },
    ])
    try #require(hasEnded, "note and the reader's end wait for each other")
    while tap.isWatched { try await Task.sleep(for: .milliseconds(1)) }
  }

  private final class Flag: Sendable { let value = Atomic(false) }
}
