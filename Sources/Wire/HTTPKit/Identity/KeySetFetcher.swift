import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL

/// Reads a key set from its URL: no redirect, no more than a key set can be long, and not for long.
package struct KeySetFetcher: Sendable {
  package struct Answer: Sendable {
    package let body: [UInt8]
    /// What clock the other side has (Date).
    package let date: String?
  }

  package let url: String
  package let trustRootsFile: String?

  package func fetch() async throws(KeyReader.Problem) -> Answer {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.timeout.connect = .seconds(EdgeLimits.keySetTimeout.components.seconds)
    if let trustRootsFile {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .file(trustRootsFile)
      configuration.tlsConfiguration = tls
    }
    // Once in minutes: a connection that is kept would only go stale.
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let result = await Self.ask(client, url)
    try? await client.shutdown()
    return try result.get()
  }

  private static func ask(_ client: HTTPClient, _ url: String) async -> Result<Answer, KeyReader.Problem> {
    var request = HTTPClientRequest(url: url)
    request.headers.add(name: "Accept", value: "application/json")
    do {
      let timeout = TimeAmount.seconds(EdgeLimits.keySetTimeout.components.seconds)
      let response = try await client.execute(request, timeout: timeout)
      guard response.status == .ok else {
        return .failure(KeyReader.Problem("its URL answers \(response.status.code)"))
      }
      let body = try await response.body.collect(upTo: EdgeLimits.keySetBytesMaximum)
      return .success(Answer(body: Array(body.readableBytesView), date: response.headers.first(name: "date")))
    } catch is NIOTooManyBytesError {
      return .failure(KeyReader.Problem("its URL answers more than \(EdgeLimits.keySetBytesMaximum) bytes"))
    } catch is NIOSSLError {
      return .failure(KeyReader.Problem("TLS with its URL failed"))
    } catch {
      // The error's own text may hold the URL.
      return .failure(KeyReader.Problem("its URL cannot be reached"))
    }
  }
}
