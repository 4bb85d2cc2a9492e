package import HTTPTypes
package import Hummingbird

/// The query of a list for agents or operators.
///
/// Nobody's data stands there, unlike in the requests of apps: a name that means nothing is a mistake, and is refused
/// before it quietly means all. `limit` and `after` are every list's; that there is more, and where it is, says the header
/// `Link` (RFC 8288, `rel="next"`).
package struct ListQuery {
  /// How many a list holds if nobody says how many.
  package static let limitDefault = 100

  private let parameters: RequestParameters
  private let path: String
  /// How many elements at most.
  package let limit: Int
  /// Behind what the list goes on; nil from the beginning.
  package let after: String?

  /// - Parameters:
  ///   - names: that may stand in it, beside `limit` and `after`.
  ///   - limitMaximum: the most that `limit` may be.
  package init(_ request: Request, _ names: [String] = [], limitMaximum: Int) throws {
    parameters = try Self.known(request, names + ["limit", "after"])
    path = request.uri.path
    after = parameters.first(of: "after")
    if let text = parameters.first(of: "limit") {
      guard let number = Int(text), (1...limitMaximum).contains(number) else {
        throw EdgeFailure.badParameter("limit", "is not 1 to \(limitMaximum)")
      }
      limit = number
    } else {
      limit = min(Self.limitDefault, limitMaximum)
    }
  }

  /// The query of a resource that is no list of pages, but whose parameters are read as a list's are.
  package init(ofResource request: Request, _ names: [String]) throws {
    parameters = try Self.known(request, names)
    path = request.uri.path
    (limit, after) = (1, nil)
  }

  /// The parameters of a resource that is no list of pages. - Throws: naming one that is none of `names`, or comes twice.
  package static func known(_ request: Request, _ names: [String]) throws -> RequestParameters {
    try request.queryParameters().all(of: names)
  }

  /// Nil also for one that is empty.
  package subscript(name: String) -> String? { parameters.first(of: name) }

  /// One of a few words. - Throws: naming the parameter, if it is none of them.
  package func word<Word: RawRepresentable & CaseIterable>(
    _ name: String, _ type: Word.Type = Word.self
  ) throws(EdgeFailure) -> Word? where Word.RawValue == String {
    guard let text = self[name] else { return nil }
    guard let word = Word(rawValue: text) else {
      throw .badParameter(name, "is not one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return word
  }

  /// `true` or `false`; `standard` if it is not there. - Throws: naming the parameter, if it is anything else.
  package func flag(_ name: String, standard: Bool = false) throws(EdgeFailure) -> Bool {
    switch self[name] {
    case nil: return standard
    case "true": return true
    case "false": return false
    default: throw .badParameter(name, "is neither true nor false")
    }
  }

  /// The header field that says where the list goes on; nothing if it does not.
  package func link(next: String?) -> HTTPFields { parameters.link(path, "after", next: next) }

  /// The same, and how many there are on all pages; nothing of that where nobody has counted.
  package func fields(next: String?, total: Int?) -> HTTPFields {
    var fields = link(next: next)
    if let total { fields[.totalCount] = String(total) }
    return fields
  }

  /// A page of what is all in memory, in the order of the ids.
  /// - Throws: if `after` is no id.
  package func page<Element, ID: Comparable & LosslessStringConvertible>(
    of all: [Element], by id: (Element) -> ID
  ) throws(EdgeFailure) -> (elements: [Element], link: HTTPFields) {
    var rest = all.sorted { id($0) < id($1) }
    if let after {
      guard let start = ID(after) else { throw .badParameter("after", "is not where a list ended") }
      rest = rest.filter { id($0) > start }
    }
    let page = Array(rest.prefix(limit))
    return (page, link(next: rest.count > limit ? page.last.map { String(id($0)) } : nil))
  }
}

extension RequestParameters {
  /// These. - Throws: naming one that is none of `names`, or comes twice.
  package func all(of names: [String]) throws(EdgeFailure) -> RequestParameters {
    if let pair = pairs.first(where: { !names.contains($0.name) }) {
      let allowed = names.isEmpty ? "there is none here" : "there are \(names.sorted().joined(separator: ", "))"
      throw .badParameter(String(pair.name.prefix(64)), "is not known: \(allowed)")
    }
    if let name = repeatedName { throw .badParameter(name, "is given twice") }
    return self
  }

  /// The header field that says where a list goes on; nothing if it does not.
  /// - Parameters:
  ///   - name: of the parameter that says it.
  ///   - own: further parameters that the next page has, whatever this one had.
  package func link(_ path: String, _ name: String, next: String?, _ own: [(String, String)] = []) -> HTTPFields {
    guard let next else { return [:] }
    let own = own + [(name, next)]
    let others = pairs.filter { pair in !own.contains { $0.0 == pair.name } }.map { ($0.name, $0.value) }
    let query = (others + own).map { "\(PathText.encode($0))=\(PathText.encode($1))" }.joined(separator: "&")
    return [.link: "<\(path)?\(query)>; rel=\"next\""]
  }
}

extension HTTPField.Name {
  package static let link = HTTPField.Name("Link")!
  /// How many elements a list has on all pages.
  package static let totalCount = HTTPField.Name("X-Total-Count")!
}
