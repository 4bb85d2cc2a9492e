import CarillonConfiguration
import PushProviders

/// Which courier serves which push type: one line for each provider.
struct Providers {
  let table: ProviderTable
  private let courier: WebhookCourier

  init(_ settings: PushSettings) {
    var webhooks = WebhookSettings()
    webhooks.inFlightMaximum = settings.inFlightMaximum
    webhooks.inFlightPerHostMaximum = settings.inFlightPerHostMaximum
    webhooks.waitingMaximum = settings.waitingMaximum
    let courier = WebhookCourier(webhooks)
    self.courier = courier
    table = ProviderTable([
      CustomHTTPProvider(courier: courier),
      HTTPCallbackProvider(courier: courier, allowsPrivateAddresses: settings.allowsPrivateAddresses),
    ])
  }

  /// Closes the couriers' connections.
  func shutdown() async { await courier.shutdown() }
}
