import CallbackDomain
import EventSourcing
import TestSupport
import Testing

@Suite("Callback, as bytes")
struct CallbackStateTests {
  @Test(
    "every stage comes back as it was, in the same bytes; damaged ones are refused or differ", arguments: Stage.allCases
  )
  func stages(stage: Stage) throws {
    let callback = try stage.rig().callback
    let bytes = callback.stateBytes
    #expect(try Callback(stateBytes: bytes) == callback)
    #expect(try Callback(stateBytes: bytes).stateBytes == bytes)
    for length in bytes.indices { #expect((try? Callback(stateBytes: Array(bytes[..<length]))) != callback) }
  }

  @Test("the numbers of what the frozen states do not have are frozen too")
  func frozenRest() throws {
    // Status, request with a key that was made for it, the times of its making and its end, the last agent.
    let state = "0805" + "120b" + "0a0173" + "1001" + "1801" + "8a01016b" + "2800" + "3800" + "9a010161"
    let callback = try Callback(stateBytes: [UInt8](hex: state))
    #expect(callback.request?.issuedKey == "k")
    #expect(callback.lastAgentID == "a")
    #expect(callback.stateBytes.hex == state)
  }

  @Test("along random callbacks the state comes back as it was, in the same bytes", arguments: UInt64(1)...12)
  func roundTrip(seed: UInt64) throws {
    var random = RandomCallback(seed: seed)
    for _ in 0..<300 {
      try random.step()
      let bytes = random.rig.callback.stateBytes
      #expect(try Callback(stateBytes: bytes) == random.rig.callback, "seed \(seed)")
      #expect(try Callback(stateBytes: bytes).stateBytes == bytes, "seed \(seed)")
    }
  }

  @Test("a callback that slept goes on like one that did not", arguments: UInt64(100)...112)
  func goesOn(seed: UInt64) throws {
    var awake = RandomCallback(seed: seed)
    var sleeper = awake
    for _ in 0..<300 {
      try sleeper.sleepAndWake()
      try awake.step()
      try sleeper.step()
      #expect(sleeper.turns == awake.turns, "seed \(seed)")
    }
    #expect(sleeper.rig.callback == awake.rig.callback, "seed \(seed)")
    #expect(awake.turnCount > 100, "seed \(seed) did nothing")
  }

  @Test("the bytes are frozen", arguments: zip(Stage.allCases, frozenCallbackStates))
  func bytes(stage: Stage, hex: String) throws {
    #expect(try stage.rig().callback.stateBytes.hex == hex)
    #expect(try Callback(stateBytes: [UInt8](hex: hex)).stateBytes.hex == hex)
  }

  @Test("fields of a later version are skipped; a state without its status is none")
  func laterVersion() throws {
    let callback = try Stage.asked.rig().callback
    var more = PayloadWriter()
    more.text(1_000, "from a later version")
    more.integer(1_001, 7)
    #expect(try Callback(stateBytes: more.bytes + callback.stateBytes + more.bytes) == callback)
    #expect(throws: PayloadError.missingField(1)) { try Callback(stateBytes: []) }
    #expect(throws: PayloadError.missingField(1)) { try Callback(stateBytes: more.bytes) }
    #expect(throws: PayloadError.outOfRange(field: 1)) { try Callback(stateBytes: [0x08, 0x00]) }
    #expect(throws: PayloadError.outOfRange(field: 14)) { try Callback(stateBytes: [0x08, 0x01, 0x70, 0x01]) }
  }

  @Test("a deadline for an agent who is not there is refused: its alarm would never be done with")
  func deadlineOfNobody() {
    var writer = PayloadWriter()
    writer.unsigned(1, 3)
    writer.time(11, CallbackRig.time(0))
    #expect(throws: PayloadError.missingField(9)) { try Callback(stateBytes: writer.bytes) }
  }

  @Test("one that waits is small: a million of them wait for their time")
  func size() throws {
    #expect(MemoryLayout<Callback>.size <= 464)
    let asleep = try Stage.scheduled.rig().callback
    #expect(asleep.rest == .asleep(until: CallbackRig.time(480)) && asleep.stateBytes.count <= 160)
  }
}
