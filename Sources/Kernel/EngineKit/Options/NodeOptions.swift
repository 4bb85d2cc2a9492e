package import OptionKit

/// What every capability may want to know.
package struct NodeOptions: OptionTable {
  package static let keys = NodeOptions()

  package let externalURLBase = OptionKey(
    "external_url_base", in: [.server], .url, "URL that clients reach the server by; from the Host header if absent",
    takes: .restart)
  package let textFile = OptionKey(
    "localizationFileLocation", in: [.push], .path,
    "YAML file, language → key → text: texts of dialogs and pushes instead of the built-in ones", takes: .reload)
  package let kindOfService = OptionKey(
    "_type", in: [.service], .choice(["builtin", "ors"]), "kind of service", takes: .unused)
  package let template = OptionKey(
    "_service", in: [.service], .text, default: Options.defaultService, "template of the service", takes: .reload)
  package let overwritable = OptionKey(
    "_overwritable_options", in: SectionKind.services, .list, default: [], "options that a request may override",
    takes: .reload)

  package init() {}
}
