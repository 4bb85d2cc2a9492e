import JSONEnvelope

/// The members of an object of FCM HTTP v1, which is a protobuf message in JSON: each name may also be written in camel
/// case, null counts as absent, and an error names the path of its field. Spec: GCM E3, E4.
struct V1Fields {
  let object: JSONObject
  /// Of the object; empty for the outermost.
  let path: String

  init(_ object: JSONObject = JSONObject(), path: String) {
    self.object = object
    self.path = path
  }

  /// - Parameter name: in snake case.
  func value(_ name: String) -> JSONValue? {
    for spelling in [name, Self.camelCase(name)] {
      if let value = object[spelling], !value.isNull { return value }
    }
    return nil
  }

  func string(_ name: String, limit: Int = .max) throws(DownstreamRefusal) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string else { throw wrongType(name, "TYPE_STRING", value) }
    guard text.utf8.count <= limit else { throw invalid(name, "must not be longer than \(limit) bytes") }
    return text
  }

  func bool(_ name: String) throws(DownstreamRefusal) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let bool = value.bool else { throw wrongType(name, "TYPE_BOOL", value) }
    return bool
  }

  /// The object of this name; without members if it is absent.
  func fields(_ name: String) throws(DownstreamRefusal) -> V1Fields {
    guard let value = value(name) else { return V1Fields(path: path(of: name)) }
    guard let object = value.object else { throw wrongType(name, "TYPE_MESSAGE", value) }
    return V1Fields(object, path: path(of: name))
  }

  /// A map of texts to texts; nil if it is absent.
  func texts(_ name: String) throws(DownstreamRefusal) -> [(name: String, text: String)]? {
    guard value(name) != nil else { return nil }
    let map = try fields(name)
    var texts: [(String, String)] = []
    for (index, member) in map.object.members.enumerated() {
      guard let text = member.value.string else {
        throw map.wrongType(path: "\(map.path)[\(index)].value", "TYPE_STRING", member.value)
      }
      texts.append((member.name, text))
    }
    return texts
  }

  /// A list of texts, as the JSON text of an array.
  func list(_ name: String) throws(DownstreamRefusal) -> String? {
    try strings(name).map { JSONValue.array($0.map { .string($0) }).plainText }
  }

  func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  func invalid(_ name: String, _ rule: String, code: DownstreamError = .invalidParameters) -> DownstreamRefusal {
    DownstreamRefusal(code, "Invalid value at '\(path(of: name))': \(rule)", field: path(of: name))
  }

  func wrongType(_ name: String, _ type: String, _ value: JSONValue) -> DownstreamRefusal {
    wrongType(path: path(of: name), type, value)
  }

  private func wrongType(path: String, _ type: String, _ value: JSONValue) -> DownstreamRefusal {
    let excerpt = DownstreamRefusal.excerpt(of: value.excerpt)
    return DownstreamRefusal(.invalidParameters, "Invalid value at '\(path)' (\(type)), \(excerpt)", field: path)
  }

  /// A whole number, also as a text, as protobuf's JSON may have it.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(DownstreamRefusal) -> Int? {
    guard let value = value(name) else { return nil }
    guard let number = value.lenientInteger else { throw wrongType(name, "TYPE_INT32", value) }
    guard range.contains(number) else {
      throw invalid(name, "must be between \(range.lowerBound) and \(range.upperBound)")
    }
    return number
  }

  func number(_ name: String, in range: ClosedRange<Double>) throws(DownstreamRefusal) -> Double? {
    guard let value = value(name) else { return nil }
    guard let number = value.double else { throw wrongType(name, "TYPE_FLOAT", value) }
    guard range.contains(number) else {
      throw invalid(name, "must be between \(range.lowerBound) and \(range.upperBound)")
    }
    return number
  }

  /// One of an enumeration's names, whatever their case.
  func choice(_ name: String, _ values: [String: Int]) throws(DownstreamRefusal) -> Int? {
    guard let text = try string(name) else { return nil }
    guard let value = values[text.uppercased()] else {
      throw invalid(name, "must be one of \(values.keys.sorted().joined(separator: ", "))")
    }
    return value
  }

  /// A list of texts.
  func strings(_ name: String) throws(DownstreamRefusal) -> [String]? {
    guard let value = value(name) else { return nil }
    let texts = value.array?.compactMap(\.string)
    guard let texts, texts.count == value.array?.count else { throw wrongType(name, "TYPE_STRING", value) }
    return texts
  }

  /// The texts of these names, over those that are there.
  func addTexts(_ names: [String], to keys: inout JSONObject) throws(DownstreamRefusal) {
    for name in names {
      if let text = try string(name) { keys[name] = .string(text) }
    }
  }

  static func camelCase(_ name: String) -> String {
    let words = name.split(separator: "_")
    return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
  }
}
