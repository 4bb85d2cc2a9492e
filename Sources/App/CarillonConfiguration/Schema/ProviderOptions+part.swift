package import Engine
package import PushProviders

/// What providers show, their lanes show.
extension ProviderOptions: ServerPart {
  package static var metrics: [MetricKey] { [] }
}
