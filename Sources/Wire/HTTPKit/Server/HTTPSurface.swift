/// The part of a server's surface that a request is for, and the rules there.
package struct HTTPSurface: Sendable, Equatable {
  /// Its place among the server's.
  package let number: UInt8
  /// Whether pages of other origins may use it. Spec: GMS 2.2.
  package let isForCustomers: Bool
  /// Whether its requests are some customer's: who that is, is asked before anything else.
  package let namesUsers: Bool
  /// Whether pages of the origins that operators name for their staff may use it, with tokens of their own.
  package let isForStaff: Bool
  /// Whether browsers show what it answers: they are told what that may do.
  package let showsPages: Bool

  package init(
    number: UInt8, isForCustomers: Bool, namesUsers: Bool, isForStaff: Bool = false, showsPages: Bool = false
  ) {
    self.number = number
    self.isForCustomers = isForCustomers
    self.namesUsers = namesUsers
    self.isForStaff = isForStaff
    self.showsPages = showsPages
  }
}
