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
    guard let value = object[name] ?? object[Self.camelCase(name)], !value.isNull else { return nil }
    return value
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
    guard let value = value(name) else { return nil }
    guard let elements = value.array, elements.allSatisfy({ $0.string != nil }) else {
      throw wrongType(name, "TYPE_STRING", value)
    }
    return value.plainText
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

  private static func camelCase(_ name: String) -> String {
    let words = name.split(separator: "_")
    return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
  }
}
