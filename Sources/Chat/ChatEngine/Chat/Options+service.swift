public import EngineKit
public import EventSourcing
import OptionKit

extension Options {
  /// As `service`, but what the request brought comes first if `_overwritable_options` lists it. Spec: GMS 8.2.
  public func service(_ service: String, _ name: String, request: [NameValuePair]) -> String? {
    let key = NodeOptions.keys.overwritable
    let overwritable =
      request.isEmpty ? nil : serviceSection(service).ifSet(key) ?? section(.chat).ifSet(key)
    if let overwritable, overwritable.contains(name), let pair = request.last(where: { $0.name == name }) {
      return pair.value
    }
    return self.service(service, name)
  }

  /// The options of a chat of `service` whose request brought `request`.
  package func service(_ service: String, request: [NameValuePair]) -> ServiceOptions {
    ServiceOptions(options: self, service: service, request: request)
  }
}

/// The options of one chat.
package struct ServiceOptions: OptionReader {
  fileprivate let options: Options
  fileprivate let service: String
  fileprivate let request: [NameValuePair]

  package func text(of name: String) -> String? { options.service(service, name, request: request) }
}
