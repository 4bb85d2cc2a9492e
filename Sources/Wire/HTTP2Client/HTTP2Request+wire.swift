internal import NIOHPACK

extension HTTP2Request {
  /// Pseudo-headers first, `:path` as a literal that enters no table: device tokens would only push out what repeats.
  /// Spec: providers 2.4.
  func wireHeaders(scheme: String, authority: String) -> HPACKHeaders {
    var wire = HPACKHeaders()
    wire.reserveCapacity(headers.count + 4)
    wire.add(name: ":method", value: method)
    wire.add(name: ":scheme", value: scheme)
    wire.add(name: ":authority", value: authority)
    wire.add(name: ":path", value: path, indexing: .nonIndexable)
    for (name, value, indexing) in headers { wire.add(name: name, value: value, indexing: indexing) }
    return wire
  }

  /// Whether HTTP/2 can carry it; one bad field would otherwise cost the whole connection. Spec: RFC 9113, 8.2.
  var isWellFormed: Bool {
    guard !method.isEmpty, path.utf8.first == UInt8(ascii: "/"), HTTP2Field.each(path, { (0x21...0x7E).contains($0) })
    else { return false }
    return headers.allSatisfy { name, value, _ in
      HTTP2Field.isName(name) && HTTP2Field.isValue(value) && HTTP2Field.isTrimmed(value)
    }
  }
}

extension HPACKHeaders {
  /// Whether an answer may have them. Spec: RFC 9113, 8.1.1, 8.3.2.
  /// - Parameter asHeadOfAnswer: they have `:status`, at first and once; trailers have nothing of the kind.
  func isWellFormed(asHeadOfAnswer isHead: Bool) -> Bool {
    var isFirst = isHead
    for (name, value, _) in self {
      if isFirst {
        guard name == ":status", value.utf8.count == 3 else { return false }
        isFirst = false
      } else {
        guard HTTP2Field.isName(name), HTTP2Field.isValue(value) else { return false }
      }
    }
    return !isFirst
  }
}

/// What names and values of fields consist of. Spec: RFC 9113, 8.2.1.
private enum HTTP2Field {
  static func isName(_ name: String) -> Bool { !name.isEmpty && each(name, isNameByte) && !belongsToConnection(name) }

  static func isValue(_ value: String) -> Bool { each(value) { $0 != 0 && $0 != 10 && $0 != 13 } }

  /// Whether all bytes are fine: half a thousand of them with each request, which as a buffer are looked at many at once.
  @inline(__always)
  static func each(_ text: String, _ isFine: (UInt8) -> Bool) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isFine) } ?? text.utf8.allSatisfy(isFine)
  }

  /// Fields of one connection, which HTTP/2 has not. Asked for each field of each request: most fail at the first byte.
  private static func belongsToConnection(_ name: String) -> Bool {
    switch name.utf8.first {
    case UInt8(ascii: "c"), UInt8(ascii: "k"), UInt8(ascii: "p"), UInt8(ascii: "t"), UInt8(ascii: "u"),
      UInt8(ascii: "h"):
      switch name {
      case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "te", "upgrade", "host": true
      default: false
      }
    default: false
    }
  }

  static func isTrimmed(_ value: String) -> Bool {
    let isBlank = { (byte: UInt8?) in byte == 0x20 || byte == 0x09 }
    return !isBlank(value.utf8.first) && !isBlank(value.utf8.last)
  }

  /// Letters in lower case only; a colon would make a pseudo-header.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "~"),
      // The rest of a token, which some servers' names have. Spec: RFC 9110, 5.6.2.
      UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "^"),
      UInt8(ascii: "`"), UInt8(ascii: "|"):
      true
    default: false
    }
  }
}
