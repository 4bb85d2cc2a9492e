import NIOCore
import NIOHTTP1
import Testing

@testable import HTTPKit

@Suite("HTTP connection's machine, times and ends")
struct MachineEndTests {
  private typealias Turn = HTTPConnectionTurn

  /// What follows in each stage; the tables below are read like this.
  private static func check(
    _ input: HTTPConnectionInput, _ expected: [MachineStage: HTTPConnectionTurn],
    _ also: (MachineStage, HTTPConnectionMachine) -> Void = { _, _ in }
  ) {
    for stage in MachineStage.allCases {
      var machine = stage.machine
      #expect(machine.received(input) == expected[stage], "\(stage)")
      also(stage, machine)
    }
  }

  @Test("a deadline that has passed")
  func deadlines() {
    Self.check(
      .deadlinePassed(now: MachineStage.now + 15_000),
      [
        .fresh: Turn(.close), .idle: Turn(.close), .receiving: Turn(.refuse(.slowBody)), .poll: Turn(.close),
        .shortRequest: Turn(.close), .routing: Turn(.giveUp), .stream: Turn(.close),
        .eventStream: Turn(.writeHeartbeat), .writing: Turn(.close), .draining: Turn(.close), .closed: .nothing,
      ]
    ) { stage, machine in
      #expect(machine.closesAfterResponse == [.receiving, .routing, .draining].contains(stage), "\(stage)")
    }
  }

  @Test("a head that has begun and does not end is refused")
  func slowHead() {
    for stage in [MachineStage.fresh, .idle] {
      var machine = stage.machine
      for bytesRead in [10, 20] { _ = machine.received(.readCompleted(bytesRead: bytesRead)) }
      #expect(machine.received(.deadlinePassed(now: 0)) == Turn(.refuse(.slowHead)), "\(stage)")
    }
  }

  @Test("a body has more time the more of it has come")
  func patience() {
    var machine = MachineStage.fresh.machine
    _ = machine.received(.part(.head(.post(length: 10_000))))
    _ = machine.received(
      .judged(HTTPHeadVerdict(bodyBytesMaximum: 10_000, now: MachineStage.now, bytesRead: 100)))
    _ = machine.received(.part(.body(ByteBuffer(repeating: 0, count: 3_000))))
    #expect(machine.received(.deadlinePassed(now: MachineStage.now + 15_000)) == Turn(.after(.seconds(2))))
    #expect(machine.received(.deadlinePassed(now: MachineStage.now + 17_000)) == Turn(.refuse(.slowBody)))
  }

  @Test("parts of a stream have the time of a write, then the next one's; of an event stream, the heartbeat's")
  func streams() {
    for (stage, silence) in [(MachineStage.stream, Duration.seconds(60)), (.eventStream, .seconds(15))] {
      var machine = stage.machine
      #expect(machine.received(.partBegins) == Turn(.after(.seconds(30))))
      #expect(machine.received(.partBegins) == Turn(.after(.seconds(30))))
      #expect(machine.received(.partWritten) == .nothing)
      #expect(machine.received(.partWritten) == Turn(.after(silence)))
      _ = machine.received(.partBegins)
      #expect(machine.received(.deadlinePassed(now: 0)) == Turn(.close), "its client takes nothing")
      _ = machine.received(.answers)
      #expect(machine.received(.partWritten) == .nothing)
    }
  }

  @Test("the client closes its sending side")
  func halfClosed() {
    let grace = HTTPConnectionTurn(.after(.milliseconds(500)))
    Self.check(
      .inputClosed,
      [
        .fresh: Turn(.close), .idle: Turn(.close), .receiving: Turn(.close), .poll: Turn(.close), .shortRequest: grace,
        .routing: grace, .stream: Turn(.close), .eventStream: Turn(.close), .writing: .nothing,
        .draining: Turn(.close), .closed: Turn(.close),
      ])
    // The moment it was given is over: nobody is there to hear that it took too long.
    var machine = MachineStage.routing.machine
    _ = machine.received(.inputClosed)
    #expect(machine.received(.deadlinePassed(now: 0)) == Turn(.close))
    machine = MachineStage.writing.machine
    _ = machine.received(.inputClosed)
    #expect(machine.received(.written(success: true)) == Turn(.close))
  }

  @Test("what cannot be read is refused, or is garbage behind a good request, which is still answered")
  func unreadable() {
    let refused = HTTPConnectionTurn(.refuse(.unreadable))
    Self.check(
      .unreadable,
      [
        .fresh: refused, .idle: refused, .receiving: refused, .poll: .nothing, .shortRequest: .nothing,
        .routing: .nothing, .stream: .nothing, .eventStream: .nothing, .writing: .nothing, .draining: .nothing,
        .closed: .nothing,
      ]
    ) { stage, machine in
      #expect(machine.closesAfterResponse == (stage != .closed), "\(stage)")
    }
    // What waited is garbage, too.
    var machine = MachineStage.routing.machine
    _ = machine.received(.part(.head(.get())))
    _ = machine.received(.unreadable)
    _ = machine.received(.answers)
    #expect(machine.received(.written(success: true)) == Turn(.close))
    #expect(machine.rest().isEmpty)
  }

  @Test("a connection that fails is closed")
  func failed() {
    for stage in MachineStage.allCases {
      var machine = stage.machine
      #expect(machine.received(.failed) == Turn(.close))
    }
  }

  @Test("the server stops: at once between requests, else with the answer")
  func stops() {
    for stage in MachineStage.allCases where stage != .closed {
      var machine = stage.machine
      let isBetween = stage == .fresh || stage == .idle
      #expect(machine.received(.stops) == (isBetween ? Turn(.close) : .nothing), "\(stage)")
      #expect(machine.closesAfterResponse)
    }
    var machine = MachineStage.poll.machine
    _ = machine.received(.stops)
    _ = machine.received(.answers)
    #expect(machine.received(.written(success: true)) == Turn(.close))
    for stage in MachineStage.allCases {
      var machine = stage.machine
      #expect(machine.received(.cut) == Turn(.close))
    }
  }

  @Test("a connection that comes while the server stops is for one request, whose answer says so")
  func late() {
    var machine = HTTPConnectionMachine(limits: MachineStage.limits)
    let inputs: [HTTPConnectionInput] = [
      .opened(isStopping: true), .part(.head(.get())), .judged(.refused), .part(.end(nil)), .answers,
    ]
    for input in inputs { _ = machine.received(input) }
    #expect(machine.closesAfterResponse)
    #expect(machine.received(.written(success: true)) == Turn(.close))
  }

  @Test("the connection is gone: the engine hears of its poll, everybody else's work is ended")
  func ended() {
    for stage in MachineStage.allCases {
      var machine = stage.machine
      _ = machine.received(.part(.head(.get())))
      let isPoll = stage == .poll || stage == .shortRequest
      #expect(machine.received(.ended) == Turn(isPoll ? .tellDeparture : .cancelWork), "\(stage)")
      #expect(machine.rest().isEmpty)
      #expect(machine.received(.deadlinePassed(now: 0)) == .nothing)
      #expect(machine.received(.written(success: false)) == .nothing)
    }
  }

  @Test("a response that the client's socket does not take ends the connection")
  func lost() {
    var machine = MachineStage.writing.machine
    #expect(machine.received(.written(success: false)) == Turn(.close))
    machine = MachineStage.draining.machine
    #expect(machine.received(.written(success: false)) == .nothing)
  }
}
