import Engine
import EntityRuntime
import EventSourcing
import Fuzzing

@main
enum Program {
  static func main() { Fuzzer.run() }
}

/// The first byte chooses the kind of entity by its number, 0 an image; then comes what stands there: a state and events
/// after it, or an image.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(start, count)
  let number = Int(input.byte()) % (Catalogue.carillon.cards.count + 1)
  guard number > 0 else {
    checkImage(input.remainder())
    return 0
  }
  var replay = Replay(input: input)
  try? Catalogue.carillon.cards[number - 1].open(&replay)
  return 0
}

private struct Replay: KindVisitor {
  var input: FuzzInput

  mutating func visit<State: RestorableState & Encodable>(_ card: EntityCard, _ type: State.Type) {
    replay(type, card, &input)
  }
}

/// Input: the length of a state and its bytes (none: from the beginning), then events: tag, seconds, length, payload.
///
/// Decoding is total; what decodes is encoded to something that decodes to the same; whatever has been decoded can be
/// evolved; and a state that has come about can be put away and taken out again.
private func replay<State: RestorableState>(_ type: State.Type, _ card: EntityCard, _ input: inout FuzzInput) {
  var state = State()
  let stateBytes = input.bytes(Int(input.number()))
  if !stateBytes.isEmpty {
    guard let decoded = try? State(stateBytes: stateBytes) else { return }
    checkRestoring(decoded, always: true)
    state = decoded
  }
  var time = Timestamp(milliseconds: 0)
  var replayer = card.replayer()
  while !input.isEmpty {
    let tag = EventTag(input.byte())
    time = Timestamp(milliseconds: time.milliseconds + Int64(Int8(bitPattern: input.byte())) * 1_000)
    let payload = input.bytes(Int(input.number()))
    guard let event = decode(State.Event.self, tag, payload) else { continue }
    require(event.tag == tag, "an event keeps its tag")
    let again = StoredEvent(event)
    require(decode(State.Event.self, tag, again.payload) == event, "an event that is encoded decodes to itself")
    payload.withUnsafeBytes { bytes in
      require(card.describe(tag, bytes) != nil, "the tools know what the server knows")
      if stateBytes.isEmpty { try? replayer.apply(time: time, tag: tag, payload: bytes) }
    }
    state.evolve(event, at: time)
    _ = state.react(to: event)
  }
  checkRestoring(state, always: stateBytes.isEmpty)
}

private func decode<Event: JournaledEvent>(_ type: Event.Type, _ tag: EventTag, _ payload: [UInt8]) -> Event? {
  try? StoredEvent(tag: tag, payload: payload).decoded(as: type)
}

/// - Parameter always: false for a state whose numbers may have been at their bounds before they were counted up.
private func checkRestoring<State: RestorableState>(_ state: State, always: Bool) {
  _ = (state.outstandingEffects, state.isFinished, state.rest)
  let bytes = state.stateBytes
  guard let again = try? State(stateBytes: bytes) else {
    require(!always, "a state can be put away")
    return
  }
  require(again.stateBytes == bytes, "a state that is put away comes back the same")
  require(again.outstandingEffects == state.outstandingEffects, "it still owes what it owed")
  require(again.rest == state.rest && again.isFinished == state.isFinished, "it rests as it did")
}

private func checkImage(_ bytes: [UInt8]) {
  guard let image = try? EntityImage(bytes: bytes) else { return }
  require((try? EntityImage(bytes: image.bytes)) == image, "an image that is encoded decodes to itself")
  require((try? Brief(bytes: image.brief.bytes)) == image.brief, "so does what is known of a sleeper")
}
