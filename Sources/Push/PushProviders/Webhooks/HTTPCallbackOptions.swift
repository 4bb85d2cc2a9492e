package import OptionKit

/// Pushes of type `httpcb`. Spec: providers 4.
package struct HTTPCallbackOptions: OptionTable {
  package static let keys = HTTPCallbackOptions()

  package let allowsPrivateAddresses = OptionKey(
    "httpcb.allow_private_addresses", in: [.push], .flag, default: false,
    "true: URLs given by apps may point anywhere, into your own network too", takes: .reload)

  package init() {}
}
