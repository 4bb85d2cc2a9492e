package import OptionKit

/// Spec: providers 5.
package struct AirshipOptions: OptionTable {
  package static let keys = AirshipOptions()

  package let appKey = OptionKey(push: "airship.app_key", .nonEmptyText, "the app's key", .debugForm)
  package let masterSecret = OptionKey(
    push: "airship.master_secret", .nonEmptyText, "its master secret", [.secret, .debugForm])
  package let baseURL = OptionKey(push: "airship.base_url", .url, "default: https://go.urbanairship.com", .debugForm)
  package let trustRootsFile = OptionKey(
    push: "airship.ca_file", .path, "trust roots instead of the system's, PEM", .debugForm)

  package init() {}
}
