package import OptionKit
import PushDomain

/// What operators can set of the providers.
package enum ProviderOptions {
  package static var options: [OptionSpecification] {
    AppleOptions.options + GoogleOptions.options + CustomHTTPOptions.options + WebhookOptions.options
      + HTTPCallbackOptions.options + AirshipOptions.options + WebPushOptions.options + WebhookSettings.options
  }
}
