import Engine
import NetworkAddress

/// Reads options of section `server` that the schema has judged and gives a built-in value.
struct ServerOptionReader {
  let configuration: LoadedConfiguration

  func text(_ name: String) -> String {
    guard let value = configuration.server(name) else {
      preconditionFailure("option \(name) of section server has a built-in value")
    }
    return value
  }

  func integer(_ name: String) -> Int {
    guard let value = Int(text(name)) else { preconditionFailure("option \(name) was judged to be an integer") }
    return value
  }

  /// None if the option is absent.
  func networks(_ name: String) -> [AddressBlock] {
    Options.list(configuration.server(name) ?? "").map { text in
      guard let network = AddressBlock(text) else { preconditionFailure("option \(name) was judged to be networks") }
      return network
    }
  }

  func seconds(_ name: String) -> Duration {
    guard let value = Double(text(name)) else { preconditionFailure("option \(name) was judged to be seconds") }
    return .milliseconds(Int64(value * 1_000))
  }
}
