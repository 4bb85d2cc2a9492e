package import NIOHTTP1

/// How a request's body is coded. Spec: RFC 9110, 8.4.
package enum ContentCoding: Equatable {
  case none
  case gzip
  /// Something that is nobody's business here: a route's, or nobody's at all.
  case other

  static let fieldName = "content-encoding"

  /// - Parameter text: the field's value; several of them behind each other, with commas.
  package init(_ text: String) {
    switch text.lowercased() {
    case "", "identity": self = .none
    case "gzip", "x-gzip": self = .gzip
    default: self = .other
    }
  }

  package init(_ headers: HTTPHeaders) {
    let values = headers[Self.fieldName]
    self = values.isEmpty ? .none : ContentCoding(values.joined(separator: ", "))
  }
}

/// Which codings a client takes an answer in. Spec: RFC 9110, 12.5.3.
package enum AcceptedCodings {
  /// Whether gzip is one of them. A client that says nothing gets the text as it is.
  package static func haveGzip(_ fields: [String]) -> Bool {
    var ofAll: Bool?
    var ofGzip: Bool?
    for field in fields {
      for element in field.split(separator: ",") {
        let parts = element.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
        switch parts[0].lowercased() {
        case "gzip", "x-gzip": ofGzip = ofGzip == true || isWanted(parts.dropFirst())
        case "*": ofAll = isWanted(parts.dropFirst())
        default: break
        }
      }
    }
    return ofGzip ?? ofAll ?? false
  }

  /// A weight of 0 refuses; one that is none counts as 0.
  private static func isWanted(_ parameters: some Sequence<Substring>) -> Bool {
    for parameter in parameters where parameter.lowercased().hasPrefix("q=") {
      return Double(parameter.dropFirst(2)).map { $0 > 0 && $0 <= 1 } ?? false
    }
    return true
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let bytes = text.utf8
    let start = bytes.firstIndex { !HTTPOctet.isBlank($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !HTTPOctet.isBlank($0) }.map { bytes.index(after: $0) } ?? start
    return text[start..<end]
  }
}
