import NIOHTTP1

/// What a client waits for before it sends its body. Spec: RFC 9110, 10.1.1.
enum HTTPExpectation: Equatable {
  case none
  /// `100-continue`: leave to send it.
  case leave
  /// Something that nobody knows.
  case unknown

  init(_ headers: HTTPHeaders) {
    guard let text = headers.first(name: "expect") else {
      self = .none
      return
    }
    self = text.lowercased() == "100-continue" ? .leave : .unknown
  }
}
