public import JSONEnvelope

/// The members of a JSON request, each of the type it has to have. Null counts as absent.
struct RequestFields {
  private let object: JSONObject

  init(_ object: JSONObject) { self.object = object }

  /// - Throws: with the text of the real service.
  init(parsing bytes: UnsafeRawBufferPointer) throws(DownstreamRefusal) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: bytes, limits: JSONLimits(depthMaximum: DownstreamLimits.depthMaximum))
    } catch {
      throw DownstreamRefusal(nil, "JSON_PARSING_ERROR: \(Self.text(of: error, in: bytes))")
    }
    guard let object = value.object else {
      throw DownstreamRefusal(nil, "JSON_PARSING_ERROR: Not a JSON object at position 0.")
    }
    self.object = object
  }

  func value(_ name: String) -> JSONValue? {
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  /// - Parameter limit: its length in UTF-8.
  func string(_ name: String, limit: Int = .max) throws(DownstreamRefusal) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string else { throw .wrongType(name, "string", value.excerpt) }
    guard text.utf8.count <= limit else { throw .invalidValue(name, text, "must not be longer than \(limit) bytes") }
    return text
  }

  func bool(_ name: String) throws(DownstreamRefusal) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let bool = value.bool else { throw .wrongType(name, "boolean", value.excerpt) }
    return bool
  }

  /// The real service's word for an object is "array".
  func object(_ name: String) throws(DownstreamRefusal) -> JSONObject? {
    guard let value = value(name) else { return nil }
    guard let object = value.object else { throw .wrongType(name, "array", value.excerpt) }
    return object
  }

  func strings(_ name: String) throws(DownstreamRefusal) -> [String]? {
    guard let value = value(name) else { return nil }
    guard let elements = value.array else { throw .wrongType(name, "array", value.excerpt) }
    var strings: [String] = []
    strings.reserveCapacity(elements.count)
    for element in elements {
      guard let text = element.string else { throw .wrongType(name, "array of strings", element.excerpt) }
      strings.append(text)
    }
    return strings
  }

  /// What json-simple, which the real service reads with, says of the commonest errors. Spec: GCM B5.1.
  private static func text(of error: JSONError, in bytes: UnsafeRawBufferPointer) -> String {
    switch error.reason {
    case .unexpectedEnd: return "Unexpected token END OF FILE at position \(error.offset)."
    case .unexpectedByte where error.offset < bytes.count:
      // A misspelt literal is blamed on its first letter.
      var offset = error.offset
      while offset > 0, isLetter(bytes[offset - 1]) { offset -= 1 }
      let isPrintable = (0x21..<0x7F).contains(bytes[offset])
      let character = isPrintable ? String(UnicodeScalar(bytes[offset])) : "?"
      return "Unexpected character (\(character)) at position \(offset)."
    default: return "\(error.description)."
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
}

extension JSONValue {
  /// A string as it is, anything else as JSON.
  public var plainText: String { string ?? String(decoding: text, as: UTF8.self) }

  /// What an error message may repeat of it; a large value is not printed whole for that.
  var excerpt: String {
    switch self {
    case .array(let elements) where elements.count > 8: "[…]"
    case .object(let object) where object.count > 8: "{…}"
    default: plainText
    }
  }
}
