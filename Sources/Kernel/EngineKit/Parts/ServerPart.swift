package import OptionKit

/// A part of the server as its operators know it: a capability, a port, the process itself.
package protocol ServerPart: Sendable {
  /// What they can set of it.
  static var options: [OptionSpecification] { get }
  /// What it shows them.
  static var metrics: [MetricKey] { get }
}
