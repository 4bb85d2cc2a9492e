import CallbackDomain
import ChatEngine
package import EngineKit
import EventSourcing
import OptionKit

/// The options of callback services. Spec: GMS 8.2, 9.8.
extension Options {
  /// The options of a callback of `service` whose request brought `fields`.
  func callback(_ service: String, fields: [NameValuePair] = []) -> CallbackReader {
    CallbackReader(own: serviceSection(service), common: section(.callback), fields: fields)
  }

  /// Whether callbacks can be ordered of `service`: it is configured, and not as something else.
  package func hasCallbackService(_ service: String) -> Bool {
    guard sections["service.\(service)"] != nil else { return false }
    return serviceSection(service).ifSet(NodeOptions.keys.template).map { $0 == "callback" } ?? true
  }

  /// The fields of a request by which its callback is found, those first that have to be there.
  func lookupKeys(ofCallback service: String) -> (all: [String], mandatory: [String]) {
    let (callback, keys) = (callback(service), CallbackOptions.keys)
    let mandatory = callback[keys.mandatoryLookupKeys]
    return (mandatory + callback[keys.lookupKeys].filter { !mandatory.contains($0) }, mandatory)
  }
}

/// The options of one callback: what the request brought if `_overwritable_options` lists it, then the service's own
/// section, then the section `callback`. A value `$name$` stands for the request's field of that name.
struct CallbackReader: OptionReader {
  let own: SectionReader
  let common: SectionReader
  let fields: [NameValuePair]

  func text(of name: String) -> String? {
    let key = NodeOptions.keys.overwritable
    if let field = fields.last(where: { $0.name == name }),
      let overwritable = own.ifSet(key) ?? common.ifSet(key), overwritable.contains(name)
    {
      return field.value
    }
    guard let value = own.text(of: name) ?? common.text(of: name) else { return nil }
    guard value.count > 2, value.hasPrefix("$"), value.hasSuffix("$") else { return value }
    let wanted = value.dropFirst().dropLast()
    return fields.last { $0.name == wanted }?.value
  }
}

extension CallbackPolicy {
  init(options: Options, service: String, fields: [NameValuePair] = []) {
    self.init()
    let (callback, keys) = (options.callback(service, fields: fields), CallbackOptions.keys)
    confirmTimeout = callback[keys.confirmTimeout]
    confirmAttemptsMaximum = callback[keys.confirmAttempts]
    connectsUnconfirmed = callback[keys.onConfirmTimeout] == keys.onConfirmTimeout.builtIn
    snoozeDuration = callback[keys.snoozeDuration]
    executionBuffer = callback[keys.executionBuffer]
    timeToLive = callback[CallbackOptions.shared.timeToLive]
    acceptTimeout = callback[keys.acceptTimeout]
    connectTimeout = callback[keys.connectTimeout]
    keepCompleted = callback[keys.keepCompleted]
  }
}
