import Fuzzing
import JournalFormat

@testable import StandbyWire

@main
enum Program {
  static func main() { Fuzzer.run() }
}

/// What a primary sends to a standby, as a stream and as documents: it does not matter how the bytes are cut; what is read
/// is written to something that is read the same; nothing names a file that is not copied.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(start, count)
  let script = input.byte()
  let bytes = input.bytes(count)
  // Framed with the right checksum, which no fuzzer would find for a long time; or as they are.
  let stream = script & 0x80 == 0 ? bytes : hello + framed(bytes)
  let whole = read(stream, chunk: max(1, stream.count))
  let pieces = read(stream, chunk: 1 + Int(script & 0x1F))
  require(
    whole.messages == pieces.messages && whole.failure == pieces.failure, "it does not matter how bytes are cut")
  var again: [UInt8] = []
  for message in whole.messages { message.append(to: &again) }
  let second = read(again, chunk: max(1, again.count))
  require(second.messages == whole.messages && second.failure == nil, "what is read can be written")
  checkDocuments(bytes)
  return 0
}

/// Payloads with their kinds before them: each is made a message.
private func framed(_ bytes: [UInt8]) -> [UInt8] {
  var output: [UInt8] = []
  var rest = bytes[...]
  while let kind = rest.popFirst() {
    let count = Int(rest.popFirst() ?? 0)
    let start = output.count
    output.append(kind & 7)
    Varint.append(UInt64(min(count, rest.count)), to: &output)
    output += rest.prefix(count)
    rest = rest.dropFirst(count)
    let checksum = output.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[start...]).checksum(seed: 0) }
    withUnsafeBytes(of: checksum.littleEndian) { output += $0 }
  }
  return output
}

private let hello: [UInt8] = {
  let identity = JournalIdentity(oldestSegment: 1, oldestID: SegmentID(high: 1, low: 2))
  var bytes: [UInt8] = []
  StandbyMessage.hello(
    StandbyMessage.Hello(identity: identity, epoch: 1, place: StandbyPlace(segment: 1, offset: 4096), position: 0)
  ).append(to: &bytes)
  return bytes
}()

private func read(_ bytes: [UInt8], chunk: Int) -> (messages: [StandbyMessage], failure: StandbyWireError?) {
  var parser = StandbyMessageParser()
  var messages: [StandbyMessage] = []
  do throws(StandbyWireError) {
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      parser.append(Array(bytes[start..<min(start + chunk, bytes.count)]))
      while let message = try parser.next() { messages.append(message) }
      require(parser.pendingByteCount <= StandbyLimits.messageByteCountMaximum + chunk, "what waits is bounded")
    }
    return (messages, nil)
  } catch {
    return (messages, error)
  }
}

private func checkDocuments(_ bytes: [UInt8]) {
  if let path = String(validating: bytes, as: UTF8.self).flatMap({ StandbyPath($0) }) {
    require(Array(path.text.utf8) == bytes, "a path has one spelling")
    let parts = path.text.split(separator: "/", omittingEmptySubsequences: false)
    require(!parts.contains { $0.isEmpty || $0.hasPrefix(".") }, "a path stays below the data directory")
  }
  _ = try? StandbyManifest(parsing: bytes)
  _ = try? StandbyAcknowledgement(parsing: bytes)
  _ = StandbyRefusal(parsing: bytes)
}
