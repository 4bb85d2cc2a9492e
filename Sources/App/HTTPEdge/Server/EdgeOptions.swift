package import OptionKit

/// What operators can set of the HTTP edge.
package enum EdgeOptions {
  package static var all: [OptionSpecification] {
    AccessOptions.options + TokenOptions.options + PublishedAddressOptions.options + EdgeLimits.options
  }
}
