package import OptionKit

/// Pushes of type `customhttp`. Spec: providers 4.
package struct CustomHTTPOptions: OptionTable {
  package static let keys = CustomHTTPOptions()

  package let url = OptionKey(push: "customhttp.url", .url, "where pushes of type customhttp are posted to", .debugForm)
  package let message = OptionKey(
    push: "customhttp.message", .text, "text of customhttp notifications that bring none", .debugForm)

  package init() {}
}
