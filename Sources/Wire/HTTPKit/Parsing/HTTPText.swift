import NIOHTTP1

/// The strings of a head. Those of up to 15 bytes need no memory of their own; the longer ones that most requests bring
/// have theirs already.
enum HTTPText {
  static func string(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    return known(bytes) ?? String(decoding: bytes, as: UTF8.self)
  }

  private static func known(_ bytes: UnsafeRawBufferPointer) -> String? {
    switch bytes.count {
    case 16:
      if isText(bytes, "application/json") { return "application/json" }
      if isText(bytes, "X-Requested-With") { return "X-Requested-With" }
    case 17:
      if isText(bytes, "Client-Identifier") { return "Client-Identifier" }
      if isText(bytes, "gzip, deflate, br") { return "gzip, deflate, br" }
      if isText(bytes, "X-Forwarded-Proto") { return "X-Forwarded-Proto" }
    case 30 where isText(bytes, "application/json;charset=UTF-8"): return "application/json;charset=UTF-8"
    case 31 where isText(bytes, "application/json; charset=utf-8"): return "application/json; charset=utf-8"
    default: break
    }
    return nil
  }

  static func method(_ bytes: Slice<UnsafeRawBufferPointer>) -> HTTPMethod {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    if isText(bytes, "GET") { return .GET }
    if isText(bytes, "POST") { return .POST }
    let name = String(decoding: bytes, as: UTF8.self)
    // NIO writes it without the hyphen.
    return name == "M-SEARCH" ? .MSEARCH : HTTPMethod(rawValue: name)
  }

  private static func isText(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
    bytes.count == text.utf8CodeUnitCount
      && bytes.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
