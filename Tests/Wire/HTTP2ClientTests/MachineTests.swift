import NIOCore
import Testing

@testable import HTTP2Client

@Suite("HTTP/2 bookkeeping without a connection")
struct MachineTests {
  @Test("a budget follows the limit and never owes streams")
  func budget() {
    var budget = StreamBudget(startsWithOneStream: false)
    #expect(budget.free == Limits.streamsUntilTold)
    budget.advertise(2)
    budget.opened()
    budget.opened()
    #expect(budget.free == 0)
    budget.advertise(1)
    budget.closed()
    #expect(budget.free == 0)
    budget.advertise(Int(UInt32.max))
    #expect(budget.free == Limits.streamsPerConnectionMaximum - 1)
    budget.advertise(-1)
    #expect(budget.free == 0)
  }

  @Test("without proof there is one stream, or none if none is allowed")
  func unproven() {
    var budget = StreamBudget(startsWithOneStream: true)
    #expect(budget.free == 1)
    budget.advertise(0)
    #expect(budget.free == 0)
    budget.advertise(10)
    budget.prove()
    #expect(budget.free == 10)
  }

  @Test("calm halves once for a wave, again for streams opened since, never below one, and passes")
  func calm() {
    let start = NIODeadline.now()
    var calm = Calm()
    #expect(calm.ceiling(at: start) == nil)
    for order in 1...10 as ClosedRange<UInt64> {
      calm.ask(order: order, latest: 10, open: 10, until: start + .seconds(30))
    }
    #expect(calm.ceiling(at: start) == 5)
    calm.ask(order: 12, latest: 15, open: 5, until: start + .seconds(40))
    #expect(calm.ceiling(at: start) == 2)
    for order in 16...20 as ClosedRange<UInt64> {
      calm.ask(order: order, latest: order, open: 1, until: start + .seconds(40))
    }
    #expect(calm.ceiling(at: start + .seconds(39)) == 1)
    #expect(calm.ceiling(at: start + .seconds(40)) == nil)
    calm.ask(order: 30, latest: 30, open: 8, until: start + .seconds(80))
    #expect(calm.ceiling(at: start + .seconds(41)) == 4)
  }

  @Test("health: silence asks once, an answer calms, no answer kills")
  func health() {
    let start = NIODeadline.now()
    var health = ConnectionHealth(
      silentFor: .seconds(15), idleEvery: .minutes(15), answerWithin: .seconds(10), now: start)
    #expect(health.check(at: start + .seconds(14), hasStreams: true) == .fine)
    #expect(health.check(at: start + .seconds(20), hasStreams: false) == .fine)
    #expect(health.check(at: start + .seconds(15), hasStreams: true) == .mustPing)
    #expect(health.check(at: start + .seconds(24), hasStreams: true) == .fine)
    health.read(at: start + .seconds(24))
    #expect(health.check(at: start + .seconds(38), hasStreams: true) == .fine)
    #expect(health.check(at: start + .seconds(39), hasStreams: true) == .mustPing)
    #expect(health.check(at: start + .seconds(49), hasStreams: true) == .isDead)
    #expect(health.check(at: start + .minutes(16), hasStreams: false) == .isDead)
  }
}
