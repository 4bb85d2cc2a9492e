import Fuzzing

@testable import HTTPKit

@main
enum Program {
  static func main() { Fuzzer.run() }
}

/// How the bytes are cut, then what a client sends: it does not matter how they are cut; what is found lies in what came,
/// in its order; what was taken, written down anew in the plainest way, is read the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(start, count)
  let size = Int(input.byte()) + 1
  let bytes = input.remainder()
  let whole = Reading(bytes, inPiecesOf: bytes.count)
  let cut = Reading(bytes, inPiecesOf: size)
  require(whole.requests == cut.requests, "requests do not depend on how they are cut")
  require(whole.flaw == cut.flaw, "nor does what is refused")
  for request in whole.requests {
    require(request.headBytes <= Reading.headBytesMaximum, "a head is no longer than it may be")
    require(request.fields.count <= Reading.fieldsMaximum, "and has no more fields")
    guard request.isWhole else { continue }
    let again = Reading(request.plain, inPiecesOf: size)
    require(again.flaw == nil, "what was taken can be written down: \(String(describing: again.flaw))")
    require(again.requests == [request], "and is read the same")
  }
  return 0
}

private struct SentRequest: Equatable {
  var method: [UInt8]
  var target: [UInt8]
  var isVersion10: Bool
  var fields: [[[UInt8]]] = []
  var body: [UInt8] = []
  var isWhole = false

  var headBytes: Int { fields.joined().reduce(target.count) { $0 + $1.count } }

  private func has(_ name: String) -> Bool {
    fields.contains { String(decoding: $0[0], as: UTF8.self).lowercased() == name }
  }

  /// As a careful client would have sent it.
  var plain: [UInt8] {
    var bytes = method + [0x20] + target + Array(" HTTP/1.\(isVersion10 ? 0 : 1)\r\n".utf8)
    for field in fields { bytes += field[0] + Array(": ".utf8) + field[1] + Array("\r\n".utf8) }
    bytes += Array("\r\n".utf8)
    guard has("transfer-encoding"), method != Array("CONNECT".utf8) else { return bytes + body }
    if !body.isEmpty { bytes += Array("\(String(body.count, radix: 16))\r\n".utf8) + body + Array("\r\n".utf8) }
    return bytes + Array("0\r\n\r\n".utf8)
  }
}

/// What is read out of bytes that come in pieces; each piece lies in memory of its own.
private struct Reading {
  static let (headBytesMaximum, fieldsMaximum) = (1_024, 16)

  private(set) var requests: [SentRequest] = []
  private(set) var flaw: HTTPRequestFlaw?
  private var scanner = HTTPRequestScanner(headBytesMaximum: headBytesMaximum, fieldsMaximum: fieldsMaximum)
  private var held: [UInt8] = []

  init(_ bytes: [UInt8], inPiecesOf size: Int) {
    var rest = bytes[...]
    while !rest.isEmpty {
      held += rest.prefix(size)
      rest = rest.dropFirst(size)
      read()
      require(held.count <= Self.headBytesMaximum * 3 || scanner.isHandedOver, "little is held")
    }
  }

  private mutating func read() {
    while true {
      let (before, bytes) = (scanner.at, held)
      let step = bytes.withUnsafeBytes { scanner.step($0) }
      require(scanner.at >= before && scanner.at <= held.count, "it goes on in what there is")
      switch step {
      case .requestLine(let method, let target, let isVersion10):
        require(requests.last?.isWhole ?? true, "a request ends before the next")
        requests.append(
          SentRequest(method: Array(bytes[method]), target: Array(bytes[target]), isVersion10: isVersion10))
      case .field(let name, let value): change { $0.fields.append([Array(bytes[name]), Array(bytes[value])]) }
      case .head: break
      case .content(let range):
        require(!range.isEmpty, "a part of a body is no empty one")
        change { $0.body += bytes[range] }
      case .end: change { $0.isWhole = true }
      case .flaw(let found):
        flaw = found
        held = []
        scanner.dropped(scanner.at)
        return
      case .more:
        if scanner.hasFailed { held = [] }
        let finished = scanner.finished
        require(finished <= held.count, "no more is finished than came")
        if !held.isEmpty {
          held.removeFirst(finished)
          scanner.dropped(finished)
        }
        return
      }
    }
  }

  private mutating func change(_ body: (inout SentRequest) -> Void) {
    require(!requests.isEmpty && !requests[requests.count - 1].isWhole, "a part belongs to a request")
    body(&requests[requests.count - 1])
  }
}
