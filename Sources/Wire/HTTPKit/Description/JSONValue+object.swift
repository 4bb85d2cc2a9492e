package import JSONEnvelope

extension JSONValue {
  /// An object with these members in this order.
  package static func object(_ members: [(String, JSONValue)]) -> JSONValue {
    var object = JSONObject()
    for (name, value) in members { object[name] = value }
    return .object(object)
  }
}
