public import PushDomain
import Synchronization

/// Finds the courier of a push type; nil if there is none.
public typealias ProviderLookUp = @Sendable (_ type: String) -> (any PushProvider)?

/// The couriers: those of the house, which go before those of the rim.
package final class CourierBook: Sendable {
  private let rim: ProviderLookUp
  private let own = Mutex<[String: any PushProvider]>([:])

  init(_ rim: @escaping ProviderLookUp) { self.rim = rim }

  package func add(_ provider: any PushProvider) {
    own.withLock { own in for type in provider.types { own[type] = provider } }
  }

  subscript(type: String) -> (any PushProvider)? { own.withLock { $0[type] } ?? rim(type) }
}
