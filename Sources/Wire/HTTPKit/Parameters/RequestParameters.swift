import JSONEnvelope

/// The parameters of one request, from its query string and its body, as texts in the order of their appearance.
///
/// Spec: GMS 2.3. A later value of a name (the same bytes) replaces an earlier one, in its place; so the body wins
/// over the query string.
package struct RequestParameters: Equatable {
  package struct Pair: Equatable {
    package let name: String
    package var value: String
  }

  package private(set) var pairs: [Pair] = []
  private var places: [ExactText: Int] = [:]
  package let countMaximum: Int
  /// The first name that came more than once.
  package private(set) var repeatedName: String?

  package init(countMaximum: Int = EdgeLimits().parametersMaximum) { self.countMaximum = countMaximum }

  /// The value of `name`, which may be empty; nil if the request does not have it.
  package subscript(name: String) -> String? { places[ExactText(name)].map { pairs[$0].value } }

  /// The first value among `names` that is there and not empty.
  package func first(of names: String...) -> String? {
    for name in names {
      if let value = self[name], !value.isEmpty { return value }
    }
    return nil
  }

  /// `_verbose`: the reply carries the fields of old clients.
  package var isVerbose: Bool { isTrue("_verbose") }

  /// Whether the parameter reads `true` (or `1`, as old clients have it).
  package func isTrue(_ name: String) -> Bool {
    guard let value = self[name] else { return false }
    return value == "1" || value.lowercased() == "true"
  }

  /// A position: nil if absent, negative or not a number. Spec: GMS 5.2.
  package func position(_ name: String) -> Int? {
    guard let value = self[name], let number = Int(value), number >= 0 else { return nil }
    return number
  }

  package mutating func set(_ name: String, _ value: String) throws(ParameterFailure) {
    if let place = places[ExactText(name)] {
      repeatedName = repeatedName ?? name
      pairs[place].value = value
      return
    }
    guard pairs.count < countMaximum else { throw .tooManyParameters(limit: countMaximum) }
    places[ExactText(name)] = pairs.count
    pairs.append(Pair(name: name, value: value))
  }
}
