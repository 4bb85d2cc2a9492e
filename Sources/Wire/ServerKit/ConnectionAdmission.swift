package import EdgeSecurity
package import NIOCore
package import NetworkAddress

/// Says whether another connection may come to a port, by their number and by what its address has already.
package final class ConnectionAdmission: Sendable {
  package enum Refusal: Sendable, Equatable {
    /// The port has as many connections as it takes.
    case full
    /// Its address has as many as one may have.
    case tooManyFromAddress
  }

  /// The connections that are open.
  package let connections: OpenCount
  private let limit: Int
  private let budgets: StrangerBudgets
  private let isShared: @Sendable (IPAddress?) -> Bool

  /// - Parameters:
  ///   - connections: their gauge.
  ///   - limit: the connections that may be open at once.
  ///   - budgets: bounds those of one address, with all other ports that are given the same.
  ///   - isShared: whether the connections of an address are those of everybody, as a trusted proxy's are.
  package init(
    connections: OpenCount, limit: Int, budgets: StrangerBudgets,
    isShared: @escaping @Sendable (IPAddress?) -> Bool = { _ in false }
  ) {
    self.connections = connections
    self.limit = limit
    self.budgets = budgets
    self.isShared = isShared
  }

  /// Nil if the connection may come: then it is counted until it is closed. One that its address has too many of is
  /// counted for as long as its refusal takes.
  package func admit(_ channel: any Channel) -> Refusal? {
    guard connections.open(limit: limit) else { return .full }
    let peer = channel.remoteAddress.flatMap { IPAddress($0) }
    let hasBudget = !isShared(peer)
    let isOverspent = hasBudget && !budgets.connected(from: peer)
    let isCounted = hasBudget && !isOverspent
    // One for both counts: each is kept for as long as the connection.
    channel.closeFuture.whenComplete { [connections, budgets] _ in
      connections.close()
      if isCounted { budgets.disconnected(from: peer) }
    }
    return isOverspent ? .tooManyFromAddress : nil
  }
}
