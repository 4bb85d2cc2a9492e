import Metrics
import NIOCore
import Synchronization

/// Counts the open connections, and says whether another one may come.
final class Admission: Sendable {
  private struct Counts {
    var open = 0
    var anonymous = 0
    var byAddress: [String: Int] = [:]
  }

  private let counts = Mutex(Counts())
  private let limits: DeviceEdgeLimits
  private let gauge = Gauge(label: "carillon_device_connections", dimensions: [("transport", "mcs")])

  init(limits: DeviceEdgeLimits) { self.limits = limits }

  var current: Int { counts.withLock { $0.open } }

  /// Nil if there is no room; else the seat of one more connection, which has not logged in yet.
  func admit(_ address: SocketAddress?) -> Seat? {
    let address = address?.ipAddress.flatMap { Self.isLoopback($0) ? nil : $0 }
    let open = counts.withLock { counts -> Int? in
      guard counts.open < limits.connectionsMaximum, counts.anonymous < limits.anonymousConnectionsMaximum else {
        return nil
      }
      if let address {
        let count = counts.byAddress[address, default: 0]
        guard count < limits.connectionsPerAddressMaximum else { return nil }
        counts.byAddress[address] = count + 1
      }
      counts.open += 1
      counts.anonymous += 1
      return counts.open
    }
    guard let open else { return nil }
    gauge.record(open)
    return Seat(admission: self, address: address)
  }

  fileprivate func loggedIn() { counts.withLock { $0.anonymous -= 1 } }

  fileprivate func leave(_ address: String?, wasAnonymous: Bool) {
    let open = counts.withLock { counts in
      counts.open -= 1
      if wasAnonymous { counts.anonymous -= 1 }
      if let address, let count = counts.byAddress[address] {
        counts.byAddress[address] = count > 1 ? count - 1 : nil
      }
      return counts.open
    }
    gauge.record(open)
  }

  private static func isLoopback(_ address: String) -> Bool { address == "::1" || address.hasPrefix("127.") }
}

/// What one connection takes of the server's room. Belongs to its connection's event loop; given back once.
final class Seat {
  private let admission: Admission
  private let address: String?
  private var isAnonymous = true
  private var isTaken = true

  fileprivate init(admission: Admission, address: String?) {
    self.admission = admission
    self.address = address
  }

  func loggedIn() {
    guard isTaken, isAnonymous else { return }
    isAnonymous = false
    admission.loggedIn()
  }

  func leave() {
    guard isTaken else { return }
    isTaken = false
    admission.leave(address, wasAnonymous: isAnonymous)
  }
}
