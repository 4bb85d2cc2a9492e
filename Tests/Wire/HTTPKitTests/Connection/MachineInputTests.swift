import NIOCore
import NIOHTTP1
import Testing

@testable import HTTPKit

@Suite("HTTP connection's machine, input that waits")
struct MachineInputTests {
  private typealias Turn = HTTPConnectionTurn

  @Test("what comes behind a request waits for its answer, and nothing more is read meanwhile")
  func pipelined() {
    var machine = MachineStage.routing.machine
    let second = HTTPRequestHead.post(length: 2)
    for part in [HTTPServerRequestPart.head(second), .body(ByteBuffer(string: "ab")), .end(nil), .head(.get())] {
      #expect(machine.received(.part(part)) == .nothing)
    }
    #expect(machine.received(.readAsked) == .nothing)
    #expect(machine.next() == nil)
    _ = machine.received(.answers)
    #expect(machine.next() == nil)
    #expect(machine.received(.written(success: true)).action == .forget)
    #expect(machine.next() == Turn(.judge(second)))
    #expect(machine.received(.judged(.welcome)) == Turn(.after(.seconds(15))))
    #expect(machine.rest() == [.nothing, Turn(.cleared, .serve(body: ByteBuffer(string: "ab")))])
    _ = machine.received(.polls(mayWait: true))
    #expect(machine.rest().isEmpty)
    _ = machine.received(.answers)
    _ = machine.received(.written(success: true))
    #expect(machine.next() == Turn(.judge(.get())))
    _ = machine.received(.judged(.welcome))
    // All of it is taken: what was withheld is read now, once.
    #expect(machine.rest() == [Turn(.read)])
    #expect(machine.received(.readAsked) == Turn(.read))
  }

  @Test("what is read while an answer is written waits its turn behind what waits already")
  func order() {
    var machine = MachineStage.writing.machine
    _ = machine.received(.part(.head(.get([("X", "1")]))))
    _ = machine.received(.part(.end(nil)))
    _ = machine.received(.written(success: true))
    #expect(machine.next() == Turn(.judge(.get([("X", "1")]))))
    _ = machine.received(.judged(.welcome))
    #expect(machine.received(.part(.head(.get([("X", "2")])))) == .nothing)
    #expect(machine.rest() == [Turn(.cleared, .serve(body: nil))])
    for input in [HTTPConnectionInput.routes, .answers] { _ = machine.received(input) }
    _ = machine.received(.written(success: true))
    #expect(machine.rest() == [Turn(.judge(.get([("X", "2")])))])
  }

  @Test("so many parts may wait; one more ends the connection")
  func overflow() {
    var machine = MachineStage.poll.machine
    for _ in 0..<1_024 { #expect(machine.received(.part(.end(nil))) == .nothing) }
    #expect(machine.received(.part(.end(nil))) == Turn(.close))
  }

  @Test("the rest of a refused request that waits is thrown away, with what follows it")
  func drained() {
    var machine = MachineStage.receiving.machine
    _ = machine.received(.refuses)
    _ = machine.received(.answers)
    for part in [HTTPServerRequestPart.body(ByteBuffer(string: "rest")), .end(nil), .head(.get()), .end(nil)] {
      #expect(machine.received(.part(part)) == .nothing)
    }
    _ = machine.received(.written(success: true))
    #expect(machine.rest() == [.nothing, .nothing, .nothing, .nothing])
  }

  @Test("a head that comes in pieces has its time from its first byte, the first one from the accept")
  func partialHead() {
    var machine = MachineStage.fresh.machine
    #expect(machine.received(.readCompleted(bytesRead: 10)) == .nothing)
    machine = MachineStage.idle.machine
    #expect(machine.received(.readCompleted(bytesRead: 10)) == .nothing, "the read that brought the last request")
    #expect(machine.received(.readCompleted(bytesRead: 20)) == Turn(.after(.seconds(10))))
    #expect(machine.received(.readCompleted(bytesRead: 30)) == .nothing, "the time runs already")
    #expect(machine.received(.part(.head(.get()))).action == .judge(.get()))
  }

  @Test("bytes that come behind a request begin the next one's head once that is answered")
  func partialHeadBehind() {
    var machine = MachineStage.routing.machine
    _ = machine.received(.readCompleted(bytesRead: 10))
    #expect(machine.received(.readCompleted(bytesRead: 20)) == .nothing)
    _ = machine.received(.answers)
    #expect(machine.received(.written(success: true)) == Turn(.after(.seconds(10)), .forget))
  }
}
