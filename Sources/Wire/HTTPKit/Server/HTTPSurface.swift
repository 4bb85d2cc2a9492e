/// The part of a server's surface that a request is for, and the rules there.
package struct HTTPSurface: Sendable, Equatable {
  /// Its place among the server's.
  package let number: UInt8
  /// Whether pages of other origins may use it. Spec: GMS 2.2.
  package let isForCustomers: Bool
  /// Whether its requests are some customer's: who that is, is asked before anything else.
  package let namesUsers: Bool

  package init(number: UInt8, isForCustomers: Bool, namesUsers: Bool) {
    self.number = number
    self.isForCustomers = isForCustomers
    self.namesUsers = namesUsers
  }
}
