import TestSupport
import Testing

@testable import EngineKit

@Suite("What is on this disk, until a standby has it")
struct StandbyGateTests {
  enum Step: Sendable {
    case durable(UInt64, at: Int64)
    case acknowledged(UInt64)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: [Step]
    let released: UInt64
    /// The last moment at which it is not overdue, with a limit of 1,600 ms; nil if it never is.
    let lastGood: Int64?

    init(_ name: String, _ steps: [Step], released: UInt64, lastGood: Int64?) {
      (testDescription, self.steps, self.released, self.lastGood) = (name, steps, released, lastGood)
    }
  }

  private static func gate(_ steps: [Step]) -> StandbyGate {
    var gate = StandbyGate(limitMilliseconds: 1_600)
    for step in steps {
      switch step {
      case .durable(let position, let now): gate.becameDurable(position, at: now)
      case .acknowledged(let position): gate.wasAcknowledged(position)
      }
    }
    return gate
  }

  @Test(
    "is released as far as both have come, and overdue by the oldest that is missing",
    arguments: [
      Row("nothing", [], released: 0, lastGood: nil),
      Row("nobody follows", [.durable(5, at: 1_000)], released: 0, lastGood: 2_600),
      Row("all of it", [.durable(5, at: 1_000), .acknowledged(5)], released: 5, lastGood: nil),
      Row(
        "a part of it", [.durable(5, at: 1_000), .durable(9, at: 2_000), .acknowledged(5)], released: 5,
        lastGood: 3_600),
      Row(
        "a part of what came together", [.durable(5, at: 1_000), .durable(9, at: 1_099), .acknowledged(5)],
        released: 5, lastGood: 2_600),
      Row(
        "told before it is known here", [.acknowledged(9), .durable(5, at: 1_000), .durable(9, at: 1_000)],
        released: 9, lastGood: nil),
      Row("no further than this disk", [.durable(5, at: 1_000), .acknowledged(8)], released: 5, lastGood: nil),
      Row(
        "the further one of two", [.durable(9, at: 1_000), .acknowledged(7), .acknowledged(3)], released: 7,
        lastGood: 2_600),
      Row(
        "what falls changes nothing", [.durable(9, at: 1_000), .durable(4, at: 5_000), .acknowledged(9)],
        released: 9, lastGood: nil),
      Row(
        "taken up again after a long time",
        [.durable(5, at: 1_000), .acknowledged(5), .durable(6, at: 90_000)], released: 5, lastGood: 91_600),
    ])
  func table(row: Row) {
    let gate = Self.gate(row.steps)
    #expect(gate.releasePosition == row.released)
    guard let lastGood = row.lastGood else { return #expect(!gate.isOverdue(at: .max / 2)) }
    #expect(!gate.isOverdue(at: lastGood))
    #expect(gate.isOverdue(at: lastGood + 1))
  }

  @Test(
    "against a gate that remembers all: never late, and early by a sixteenth of the limit at most", arguments: 1...20)
  func model(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let limit: Int64 = 1_600
    var gate = StandbyGate(limitMilliseconds: limit)
    var waiting: [(position: UInt64, since: Int64)] = []
    var (now, durable, acknowledged): (Int64, UInt64, UInt64) = (0, 0, 0)
    for _ in 0..<2_000 {
      now += Int64(generator.next() % 60)
      if generator.next() % 8 > 0 {
        durable += generator.next() % 4
        gate.becameDurable(durable, at: now)
        if durable > acknowledged, waiting.last?.position != durable { waiting.append((durable, now)) }
      } else {
        acknowledged = max(acknowledged, min(durable, acknowledged + generator.next() % 60))
        gate.wasAcknowledged(acknowledged)
        waiting.removeAll { $0.position <= acknowledged }
      }
      #expect(gate.releasePosition == min(durable, acknowledged))
      let age = waiting.first.map { now - $0.since } ?? .min
      if gate.isOverdue(at: now) { #expect(age > limit - limit / 16) } else { #expect(age <= limit) }
    }
  }
}
