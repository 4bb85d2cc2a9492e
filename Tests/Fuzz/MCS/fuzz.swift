import Fuzzing
import SwiftProtobuf

@testable import MCSProtocol

@main
enum Program {
  static func main() { Fuzzer.run() }
}

/// What a device sends, and an engine that answers when the first bytes say so: decoding does not depend on how the bytes
/// are cut; what decodes is encoded to something that decodes to the same; the session keeps its promises (`Watched`).
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(start, count)
  let script = input.bytes(8)
  // With this bit a login stands in front, which no fuzzer would find for a long time.
  let isLoggedIn = (script.first ?? 0) & 0x80 != 0
  let bytes = (isLoggedIn ? login : []) + input.bytes(count)
  let whole = decode(bytes, chunk: max(1, bytes.count))
  let pieces = decode(bytes, chunk: 1 + Int((script.first ?? 0) & 0x1F))
  require(
    whole.stanzas == pieces.stanzas && whole.violation == pieces.violation, "it does not matter how bytes are cut")
  for stanza in whole.stanzas { checkCoding(of: stanza) }

  var session = Watched()
  for (index, stanza) in whole.stanzas.enumerated() {
    session.take(.stanza(stanza))
    session.act(script[(index + 1) % script.count])
  }
  if let violation = whole.violation { session.take(.violation(violation)) }
  session.take(.closing(.lost))
  require(session.isOver, "a lost connection is over")
  return 0
}

private let login: [UInt8] = {
  let request = MCSLoginRequest.with {
    $0.id = ""
    $0.domain = ""
    $0.user = "1"
    $0.resource = ""
    $0.authToken = "2"
  }
  return [MCSFrameDecoder.version] + (MCSStanza.loginRequest(request).frame ?? [])
}()

private func decode(_ bytes: [UInt8], chunk: Int) -> (stanzas: [MCSStanza], violation: MCSViolation?) {
  var decoder = MCSFrameDecoder()
  var stanzas: [MCSStanza] = []
  var violation: MCSViolation?
  for start in stride(from: 0, to: bytes.count, by: chunk) where violation == nil {
    Array(bytes[start..<min(start + chunk, bytes.count)]).withUnsafeBytes { piece in
      var rest = piece
      do throws(MCSViolation) {
        while let stanza = try decoder.next(in: &rest) { stanzas.append(stanza) }
      } catch {
        violation = error
      }
    }
  }
  return (stanzas, violation)
}

private func checkCoding(of stanza: MCSStanza) {
  guard let frame = stanza.frame else { fatalError("violated: what has been decoded has all that it must have") }
  var decoder = MCSFrameDecoder(expectsVersion: false)
  frame.withUnsafeBytes { bytes in
    var rest = bytes
    // An encoding may be longer than what was read: then it may be longer than allowed.
    guard let again = try? decoder.next(in: &rest) else {
      return require(frame.count > 60_000, "what is encoded decodes")
    }
    require(again.frame == frame && rest.isEmpty, "what is encoded decodes to the same")
  }
}

/// A session and what must hold of it.
private struct Watched {
  private var session = MCSSession()
  private(set) var isOver = false
  private var written = 0
  private var received = 0
  private var delivered = 0
  /// What the engine has in hand: at most one thing, so that its order is the client's.
  private var isSending = false
  private var isAcknowledging = false
  private var isLoggingIn = false

  mutating func take(_ input: MCSInput) {
    if case .stanza = input { received += 1 }
    let actions = session.received(input)
    require(!isOver || actions.isEmpty, "nothing follows the end")
    for action in actions {
      require(!isOver, "the end is the last action")
      take(action)
    }
    require(session.unacknowledged.count <= session.limits.unacknowledgedMaximum, "what is remembered is bounded")
    require(session.settled.count <= session.limits.settledMaximum, "what is remembered is bounded")
    require(session.works.count <= 2 * received, "a stanza asks for two things at most")
  }

  private mutating func take(_ action: MCSAction) {
    switch action {
    case .write(let stanza):
      written += 1
      require(stanza.frame != nil, "what is written can be")
      if let number = stanza.lastStreamIDReceived {
        require((0...received).contains(number), "only what has come is acknowledged")
        require(session.works.first.map { number < $0.number || !isInHand } ?? true, "nothing is that is not done")
      }
    case .logIn:
      require(!isLoggingIn && written == 0, "one login")
      isLoggingIn = true
    case .send:
      require(!isSending && !isAcknowledging, "one thing at a time")
      isSending = true
    case .acknowledge(let ids):
      require(!ids.isEmpty, "an acknowledgement names something")
      isAcknowledging = true
    case .close: isOver = true
    case .drain, .setIdle, .setDeadline: break
    }
  }

  private var isInHand: Bool { isSending || isAcknowledging }

  /// The engine or the clock does something.
  mutating func act(_ byte: UInt8) {
    if isLoggingIn, byte & 1 == 0 {
      isLoggingIn = false
      take(.loginAnswered(byte & 0x70 == 0x70 ? .refused : byte & 0x70 == 0x60 ? .unavailable : .accepted(0)))
    }
    switch byte >> 1 & 7 {
    case 0, 1:
      delivered += 1
      var message = MCSDataMessageStanza()
      message.from = "1"
      message.category = "a"
      if byte & 0x20 == 0 { message.persistentID = "\(delivered / (byte & 0x10 == 0 ? 1 : 2))" }
      take(.deliver(message))
    case 2: take(.deadlinePassed)
    case 3 where byte & 0xF0 == 0xF0: take(.closing(.replaced))
    case 4, 5, 6:
      if isSending {
        isSending = false
        take(
          .upstreamAnswered(byte & 0xF0 == 0x10 ? .unavailable : byte & 0xC0 == 0 ? .refused(reason: "r") : .accepted))
      } else if isAcknowledging {
        isAcknowledging = false
        take(.acknowledged)
      }
    default: break
    }
  }
}
