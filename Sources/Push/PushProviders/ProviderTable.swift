public import PushDomain

/// Which provider serves which type of address.
public struct ProviderTable: PushProvider {
  private static let unknownType = "no provider for this type"

  private let providers: [String: any PushProvider]
  /// Each once, though it may serve several types.
  private let distinct: [any PushProvider]

  /// - Precondition: no type is served twice.
  public init(_ providers: [any PushProvider]) {
    var table: [String: any PushProvider] = [:]
    for provider in providers {
      for type in provider.types {
        precondition(table[type] == nil, "two providers for the push type \(type)")
        table[type] = provider
      }
    }
    self.providers = table
    distinct = providers
  }

  public var types: Set<String> { Set(providers.keys) }

  public subscript(type: String) -> (any PushProvider)? { providers[type] }

  public func obstacle(_ target: PushAddress, _ options: PushOptions) -> String? {
    guard let provider = self[target.type] else { return Self.unknownType }
    return provider.obstacle(target, options)
  }

  /// The lane of the type's provider; for a type that nobody serves, one lane for all such types, since their names
  /// come from apps.
  public func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane {
    self[target.type]?.lane(of: target, options) ?? CourierLane(id: "unknown", label: "unknown")
  }

  /// Hands the delivery to the provider of its type, and refuses it if there is none.
  public func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    guard let provider = self[delivery.message.target.type] else { return .refused(reason: Self.unknownType) }
    return await provider.deliver(delivery)
  }

  public func reload() { for provider in distinct { provider.reload() } }
}
