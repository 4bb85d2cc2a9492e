import ArgumentParser
import CarillonConfiguration
import Engine
import HTTPEdge
import OptionKit

/// Where a one-time link to the console leads.
struct LinkArguments: ParsableArguments {
  @Option(help: "How browsers reach the server; the configured port on loopback if absent.") var baseURL: String?

  func validate() throws {
    guard let baseURL else { return }
    guard baseURL.hasPrefix("http://") || baseURL.hasPrefix("https://"), !baseURL.contains(where: { "?#".contains($0) })
    else { throw ValidationError("--base-url is a URL such as https://push.example.com.") }
  }

  /// - Throws: if the configuration has no console.
  func requireConsole(_ loaded: LoadedConfiguration) throws {
    let key = ConsoleOptions.keys.isEnabled
    try TokenCommand.reporting {
      guard loaded[key] else { throw CommandFailure(.usage, "\(key.name) is false: there is no console to sign in to") }
    }
  }

  /// Makes a code and prints the link.
  func print(for token: String, _ store: TokenStore, _ loaded: LoadedConfiguration) throws {
    let made = try TokenCommand.attempt { () throws(TokenStoreError) in try store.makeCode(for: token) }
    let base = baseURL ?? ServerSettings(loaded).ownURL
    let (role, minutes) = (made.token.role.rawValue, TokenStore.codeLifetimeSeconds / 60)
    Console.remark("A link for \(role) \(made.token.name), good once and for \(minutes) minutes:")
    Console.print(
      "\(base.hasSuffix("/") ? String(base.dropLast()) : base)\(loaded[ConsoleOptions.keys.path])/#code=\(made.code)")
  }
}
