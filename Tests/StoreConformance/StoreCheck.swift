/// Something that every store does.
package struct StoreCheck: Sendable, CustomStringConvertible {
  /// A sentence.
  package let description: String
  /// It wants `StoreRig.faults`.
  package let needsFaults: Bool
  private let body: @Sendable (any StoreRig) throws -> Void

  init(_ description: String, _ body: @escaping @Sendable (any StoreRig) throws -> Void) {
    self.description = description
    needsFaults = false
    self.body = body
  }

  init(_ description: String, faults body: @escaping @Sendable (any StoreRig, any StoreFaults) throws -> Void) {
    self.description = description
    needsFaults = true
    self.body = { rig in
      guard let faults = rig.faults else { throw StoreBreach("the rig has no faults, which this check needs") }
      try body(rig, faults)
    }
  }

  /// - Parameter rig: a fresh one.
  /// - Throws: `StoreBreach`, or what the store throws where it must not.
  package func run(_ rig: any StoreRig) throws { try body(rig) }

  package static let all = writing + starting + failing + segments + snapshots
}

/// A store that does not do what it must.
struct StoreBreach: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// - Parameter what: what is true if `condition` is.
func expect(_ condition: Bool, _ what: @autoclosure () -> String, line: Int = #line) throws(StoreBreach) {
  guard condition else { throw StoreBreach("not so (line \(line)): \(what())") }
}
