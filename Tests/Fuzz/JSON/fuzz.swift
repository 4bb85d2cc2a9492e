import Fuzzing

@testable import JSONEnvelope

@main
enum Program {
  static func main() { Fuzzer.run() }
}

/// Any bytes: parsing and skipping agree; what parses is UTF-8 within the limits, prints, and parses again to the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: start, count: count)
  let skipped = skip(bytes)
  let value: JSONValue
  do throws(JSONError) {
    value = try JSONValue(parsing: bytes)
  } catch {
    require((0...count).contains(error.offset), "an error lies in the text")
    // Skipping does not convert numbers; otherwise it is as strict.
    require(!skipped || error.reason == .numberOutOfRange, "what is skipped can be parsed: \(error)")
    return 0
  }
  require(skipped, "what parses can be skipped")
  require(String(validating: bytes, as: UTF8.self) != nil, "what parses is UTF-8")

  let text = value.text
  require(String(validating: text, as: UTF8.self) != nil, "what is printed is UTF-8")
  guard let again = try? JSONValue(parsing: text) else { fatalError("violated: what is printed parses") }
  require(again == value && again.text == text, "what is printed parses to the same")

  let depth = depth(of: bytes)
  require(depth <= JSONLimits.depthCeiling, "no deeper than allowed")
  require(parses(bytes, JSONLimits(depthMaximum: depth)), "the depth that it has is enough")
  require(depth == 0 || !parses(bytes, JSONLimits(depthMaximum: depth - 1)), "one level less is refused")
  require(parses(bytes, JSONLimits(documentBytesMaximum: count)), "the length that it has is enough")
  require(!parses(bytes, JSONLimits(documentBytesMaximum: count - 1)), "one byte less is refused")
  return 0
}

private func parses(_ bytes: UnsafeRawBufferPointer, _ limits: JSONLimits) -> Bool {
  (try? JSONValue(parsing: bytes, limits: limits)) != nil
}

private func skip(_ bytes: UnsafeRawBufferPointer) -> Bool {
  do {
    var scanner = try JSONScanner(bytes)
    let range = try scanner.rawRange()
    require(range.lowerBound < range.upperBound && range.upperBound <= bytes.count, "a value lies in the text")
    try scanner.end()
    return true
  } catch {
    return false
  }
}

/// Counted another way than the parser does.
private func depth(of text: UnsafeRawBufferPointer) -> Int {
  var (open, deepest, isInString, isEscaped) = (0, 0, false, false)
  for byte in text {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString.toggle()
    } else if !isInString {
      if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") { open += 1 }
      if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") { open -= 1 }
      deepest = max(deepest, open)
    }
  }
  return deepest
}
