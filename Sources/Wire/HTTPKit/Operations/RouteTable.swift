import HTTPTypes

/// Which operation a request is for, by the templates of their paths: what metrics and the access log name in place of
/// a path, which may hold somebody's key. Walks the bytes of a target once, and makes nothing.
package struct RouteTable: Sendable {
  /// An operation's place in the table.
  package struct Route: Sendable, Equatable {
    let number: UInt16
    /// What no operation is for: an unknown path or method, or what could not be read.
    package static let other = Route(number: 0)
  }

  /// What is said of a route.
  package struct Name: Sendable, Equatable {
    package let method: String
    package let template: String
  }

  private struct Node {
    /// Parts of a path that are as they stand, each with the node behind it.
    var literals: [(part: [UInt8], next: Int)] = []
    /// The node behind a part that is a parameter.
    var parameter: Int?
    /// The operations that take the rest of the path, whatever it is.
    var rest: [(method: String, route: Route)] = []
    /// The operations of the path that ends here.
    var here: [(method: String, route: Route)] = []
  }

  /// By `Route.number`.
  package private(set) var names = [Name(method: "other", template: "other")]
  private var nodes = [Node()]
  /// What a path may end in without being another.
  private let format: [UInt8]

  /// - Parameters:
  ///   - operations: of one server; of two with one method and path the first counts.
  ///   - below: paths whose operations take whatever is below them, too.
  ///   - pages: paths below which there is something to get that is no operation.
  ///   - format: a spelling at the end of a path that does not count, as `.json`.
  package init(
    _ operations: [APIOperation], below: Set<String> = [], pages: [String] = [], format: String = ""
  ) {
    self.format = Array(format.utf8)
    for operation in operations {
      let takesRest = operation.parameters.contains { $0.place == .path && $0.takesRest }
      var node = 0
      let parts = operation.path.split(separator: "/")
      for (index, part) in parts.enumerated() {
        if takesRest, index == parts.count - 1 { break }
        node = part.contains("{") ? parameter(of: node) : literal(Array(part.utf8), of: node)
      }
      let route = add(operation.method.rawValue, operation.path, to: node, takesRest: takesRest)
      if below.contains(operation.path) { nodes[node].rest.append((operation.method.rawValue, route)) }
    }
    for page in pages {
      let node = page.split(separator: "/").reduce(0) { literal(Array($1.utf8), of: $0) }
      let route = add("GET", page + "/**", to: node, takesRest: true)
      nodes[node].here.append(("GET", route))
    }
  }

  private mutating func parameter(of node: Int) -> Int {
    if let known = nodes[node].parameter { return known }
    nodes.append(Node())
    nodes[node].parameter = nodes.count - 1
    return nodes.count - 1
  }

  private mutating func literal(_ part: [UInt8], of node: Int) -> Int {
    if let known = nodes[node].literals.first(where: { $0.part == part }) { return known.next }
    nodes.append(Node())
    nodes[node].literals.append((part, nodes.count - 1))
    return nodes.count - 1
  }

  private mutating func add(_ method: String, _ template: String, to node: Int, takesRest: Bool) -> Route {
    let known = takesRest ? nodes[node].rest : nodes[node].here
    if let route = known.first(where: { $0.method == method })?.route { return route }
    let route = Route(number: UInt16(names.count))
    names.append(Name(method: method, template: template))
    if takesRest { nodes[node].rest.append((method, route)) } else { nodes[node].here.append((method, route)) }
    return route
  }

  /// - Parameter target: path and query string, without empty parts.
  package func route(_ method: String, _ target: String) -> Route {
    // To answer HEAD is to answer GET.
    let method = method == "HEAD" ? "GET" : method
    let found = target.utf8.withContiguousStorageIfAvailable { bytes -> Route? in
      guard bytes.first == UInt8(ascii: "/") else { return nil }
      let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
      return find(method, UnsafeBufferPointer(rebasing: bytes[..<end]), from: 0, in: 0)
    }
    return found.flatMap(\.self) ?? .other
  }

  /// A part that is named goes before a parameter, and that before the rest of a path, as the router has it.
  private func find(_ method: String, _ path: UnsafeBufferPointer<UInt8>, from start: Int, in node: Int) -> Route? {
    var start = start
    while start < path.count, path[start] == UInt8(ascii: "/") { start += 1 }
    let node = nodes[node]
    guard start < path.count else { return node.here.first { $0.method == method }?.route }
    var end = start
    while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
    for literal in node.literals where isEqual(literal.part, path, start, end) {
      if let found = find(method, path, from: end, in: literal.next) { return found }
    }
    if let next = node.parameter, let found = find(method, path, from: end, in: next) { return found }
    return node.rest.first { $0.method == method }?.route
  }

  private func isEqual(_ part: [UInt8], _ path: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> Bool {
    let length = end - start
    guard length == part.count || (end == path.count && !format.isEmpty && length == part.count + format.count) else {
      return false
    }
    for index in part.indices where part[index] != path[start + index] { return false }
    guard length > part.count else { return true }
    for index in format.indices where format[index] != path[start + part.count + index] { return false }
    return true
  }
}
