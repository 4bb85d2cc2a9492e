import NIOEmbedded
import Testing

@testable import ServerKit

@Suite("Connections of an event loop")
struct LoopResidentsTests {
  @Test(
    "a deadline passes late rather than early",
    arguments: [(0, 1), (1, 2), (250, 2), (251, 3), (1_000, 5)])
  func lateness(_ milliseconds: Int, _ ticks: Int) {
    let residents = LoopResidents(eventLoop: EmbeddedEventLoop())
    let resident = ScriptedResident()
    residents.setDeadline(of: residents.add(resident), after: .milliseconds(milliseconds))
    for _ in 1..<ticks { residents.advance() }
    #expect(resident.events.isEmpty)
    residents.advance()
    #expect(resident.events == [.deadline])
  }

  @Test(
    "a deadline may be a moment of the loop's time; one that is past comes with the next tick", arguments: [-3, 0, 1])
  func moments(_ ticks: Int64) {
    let residents = LoopResidents(eventLoop: EmbeddedEventLoop())
    for _ in 0..<5 { residents.advance() }
    let resident = ScriptedResident()
    residents.setDeadline(of: residents.add(resident), at: residents.now + ticks)
    residents.advance()
    #expect(resident.events == [.deadline])
    #expect(residents.tick(after: .seconds(1)) == residents.now + 5)
  }

  @Test("whoever goes when its deadline passes, or lets another go, disturbs nobody")
  func leaving() {
    let residents = LoopResidents(eventLoop: EmbeddedEventLoop())
    let (first, second, third) = (ScriptedResident(), ScriptedResident(), ScriptedResident())
    let places = [first, second, third].map { residents.add($0) }
    for place in places { residents.setDeadline(of: place, after: .zero) }
    for (resident, place) in zip([first, third], [places[0], places[2]]) {
      resident.onEvent = { _ in residents.remove(place) }
    }
    second.onEvent = { _ in residents.setDeadline(of: places[1], after: .zero) }
    residents.advance()
    residents.advance()
    #expect(first.events == [.deadline] && third.events == [.deadline])
    #expect(second.events == [.deadline, .deadline])
  }

  @Test("a stop and a cut are told to all, and whoever comes later sees that the server stops")
  func stopping() {
    let loop = EmbeddedEventLoop()
    let residents = LoopResidents(eventLoop: loop)
    let all = [ScriptedResident(), ScriptedResident()]
    for resident in all { _ = residents.add(resident) }
    residents.stopAll()
    loop.run()
    #expect(residents.isStopping)
    residents.cutAll()
    loop.run()
    #expect(all.allSatisfy { $0.events == [.stop, .cut] })
  }
  @Test("a stop and a cut go past who outlives them")
  func sparing() {
    let loop = EmbeddedEventLoop()
    let residents = LoopResidents(eventLoop: loop)
    let (one, other) = (ScriptedResident(), ScriptedResident())
    one.outlivesStop = true
    for resident in [one, other] { _ = residents.add(resident) }
    residents.stopAll(sparing: true)
    residents.cutAll(sparing: true)
    loop.run()
    #expect(one.events.isEmpty && other.events == [.stop, .cut])
    #expect(residents.isStopping)
  }
}
