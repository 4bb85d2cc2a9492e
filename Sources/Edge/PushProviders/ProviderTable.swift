public import PushDomain

/// Which provider serves which type of address.
public struct ProviderTable: PushProvider {
  private let providers: [String: any PushProvider]

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
  }

  public var types: Set<String> { Set(providers.keys) }

  public subscript(type: String) -> (any PushProvider)? { providers[type] }

  /// Hands the delivery to the provider of its type, and refuses it if there is none.
  public func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    guard let provider = self[delivery.message.target.type] else {
      return .refused(reason: "no provider for this type")
    }
    return await provider.deliver(delivery)
  }
}
