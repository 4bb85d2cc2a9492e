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
  func token() throws -> String {
    if let tokenFile {
      guard let data = FileManager.default.contents(atPath: tokenFile) else {
        throw CommandFailure(.missingInput, "\(tokenFile) cannot be read")
      }
      return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
    guard let token = ProcessInfo.processInfo.environment["CARILLON_TOKEN"], !token.isEmpty else {
      throw CommandFailure(
        .usage, "no token: set CARILLON_TOKEN or give --token-file (`carillon token create --role admin` makes one)")
    }
    return token
  }
}
