import ArgumentParser
import AsyncHTTPClient
import CarillonConfiguration
import NIOCore
import NIOHTTP1

/// `carillon health`: one question to a running server, for a container's health check.
struct HealthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Ask a running server whether it is ready.",
    discussion: "Exits with 0 if it is, with 1 otherwise.")

  @Option(help: "What to ask; /health/ready of the configured port on loopback if absent.") var url: String?
  @OptionGroup var arguments: ConfigurationArguments

  func run() async throws {
    let url = try url ?? ServerSettings(try arguments.loadOrExit()).ownURL + "/health/ready"
    do {
      let response = try await HTTPClient.shared.execute(
        HTTPClientRequest(url: url), timeout: TimeAmount(Limits.healthTimeout))
      let body = try await response.body.collect(upTo: Limits.healthAnswerBytesMaximum)
      Console.print("\(response.status.code) \(String(buffer: body))")
      guard response.status.code == 200 else { throw ExitStatus.failure.exitCode }
    } catch let code as ExitCode {
      throw code
    } catch {
      Console.remark("error: \(url) does not answer: \(error)")
      throw ExitStatus.failure.exitCode
    }
  }

}

extension ServerSettings {
  /// Where a server with these settings is reached from its own machine.
  var ownURL: String {
    let host =
      switch self.host {
      case "0.0.0.0", "": "127.0.0.1"
      case "::": "[::1]"
      case let host where host.contains(":"): "[\(host)]"
      default: self.host
      }
    return "\(tls == nil ? "http" : "https")://\(host):\(port)"
  }
}
