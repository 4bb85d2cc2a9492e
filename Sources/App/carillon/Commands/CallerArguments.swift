import ArgumentParser
import CarillonConfiguration
import Foundation

/// Which running server a command talks to, and with which token.
struct CallerArguments: ParsableArguments {
  @Option(help: "The server; the configured port on loopback if absent.") var server: String?
  @Option(help: "File with the token; CARILLON_TOKEN if absent.") var tokenFile: String?

  func url(_ arguments: ConfigurationArguments) throws -> String {
    try server ?? ServerSettings(try arguments.loadOrExit()).ownURL
  }

  /// - Throws: `CommandFailure`.
  func token() throws -> String { try CallerToken.read(tokenFile) }
}

/// The token of a command that talks to a running server.
enum CallerToken {
  /// - Parameter file: where the token is; in the environment if nil.
  /// - Throws: `CommandFailure`.
  static func read(_ file: String?) throws -> String {
    if let file {
      guard let data = FileManager.default.contents(atPath: file) else {
        throw CommandFailure(.missingInput, "\(file) cannot be read")
      }
      return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
    let variable = EnvironmentSpelling.token
    guard let token = ProcessInfo.processInfo.environment[variable], !token.isEmpty else {
      throw CommandFailure(
        .usage, "no token: set \(variable) or give --token-file (`carillon token create --role admin` makes one)")
    }
    return token
  }
}
