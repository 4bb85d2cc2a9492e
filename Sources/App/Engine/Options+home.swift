import EngineKit
import OptionKit

extension Options {
  /// Whether agents can have to do with something of this name: a service, or an app of support requests.
  public func hasHome(_ name: String) -> Bool {
    hasService(name) || hasCallbackService(name) || sections[SectionKind.supportAppPrefix + name] != nil
  }
}
