import JSONEnvelope

/// One member of a JSON object, at any depth: the object with a null in its place, and the object without it. Whoever reads
/// JSON is to find both the same.
struct NulledMember {
  /// The names on the way to it, with full stops between.
  let path: String
  let nulled: JSONValue
  let absent: JSONValue

  /// - Parameter maps: members whose own members have names, and values, of the client's choice: within them a null is
  ///   what it is.
  static func all(of value: JSONValue, maps: Set<String> = [], at path: String = "") -> [NulledMember] {
    guard let object = value.object else { return [] }
    var found: [NulledMember] = []
    for member in object.members {
      let place = path.isEmpty ? member.name : "\(path).\(member.name)"
      func put(_ nulled: JSONValue, _ absent: JSONValue?, at path: String) {
        var (first, second) = (object, object)
        first[member.name] = nulled
        second[member.name] = absent
        found.append(NulledMember(path: path, nulled: JSONValue.object(first), absent: JSONValue.object(second)))
      }
      put(JSONValue.null, Optional<JSONValue>.none, at: place)
      guard !maps.contains(place) else { continue }
      for inner in all(of: member.value, maps: maps, at: place) { put(inner.nulled, inner.absent, at: inner.path) }
    }
    return found
  }
}
