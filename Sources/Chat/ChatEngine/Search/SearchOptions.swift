package import OptionKit

/// Searching chats: options of section `server`.
package struct SearchOptions: OptionTable {
  package static let keys = SearchOptions()

  package let isEnabled = OptionKey(
    "search.enabled", in: [.server], .flag, default: true,
    "whether agents can search what was said in chats; its index takes memory, some 40 % of the texts", takes: .restart)

  package init() {}
}
