/// The methods that are read; anything else is no request. Which of them somebody answers is another matter.
///
/// Spec: RFC 9110, 9; the registry of HTTP methods.
package enum HTTPMethodName {
  static let bytesMaximum = 11

  package static let all: [StaticString] = [
    "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "CONNECT", "TRACE", "COPY", "LOCK", "MKCOL", "MOVE",
    "PROPFIND", "PROPPATCH", "SEARCH", "UNLOCK", "BIND", "REBIND", "UNBIND", "ACL", "REPORT", "MKACTIVITY",
    "CHECKOUT", "MERGE", "M-SEARCH", "NOTIFY", "SUBSCRIBE", "UNSUBSCRIBE", "PURGE", "MKCALENDAR", "LINK", "UNLINK",
    "SOURCE", "QUERY",
  ]

  /// The common ones without a look at the others.
  static func isKnown(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
    switch name.count {
    case 3 where isName(name, "GET"), 4 where isName(name, "POST"): true
    default: all.contains { isName(name, $0) }
    }
  }

  /// Whether more bytes can make one of it.
  static func begins(with start: Slice<UnsafeRawBufferPointer>) -> Bool {
    all.contains { bytes(of: $0).starts(with: start) }
  }

  private static func isName(_ name: Slice<UnsafeRawBufferPointer>, _ method: StaticString) -> Bool {
    name.count == method.utf8CodeUnitCount && bytes(of: method).elementsEqual(name)
  }

  private static func bytes(of text: StaticString) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }
}
