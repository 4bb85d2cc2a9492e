import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import TextEncoding

/// Asks a server of somebody else's one thing: follows no redirect, takes no more than was meant, and does not wait for
/// long.
package struct BoundedRequest: Sendable {
  package struct Answer: Sendable {
    package let status: Int
    package let body: [UInt8]
    package let contentType: String?
    /// What clock the other side has (Date).
    package let date: String?
  }

  package enum Failure: Error, Equatable {
    case tooLong, tls, unreachable
    /// Reached perhaps, and not done in time.
    case late

    /// In a few words, without the URL: errors of others may hold it whole.
    package func words(bytesMaximum: Int) -> String {
      switch self {
      case .tooLong: "its URL answers more than \(bytesMaximum) bytes"
      case .tls: "TLS with its URL failed"
      case .unreachable, .late: "its URL cannot be reached"
      }
    }
  }

  /// What is posted.
  package struct Content: Sendable {
    package let type: String
    package let bytes: [UInt8]

    package init(type: String, bytes: [UInt8]) {
      self.type = type
      self.bytes = bytes
    }

    package static func form(_ pairs: [(name: String, value: String)]) -> Content {
      let text = pairs.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
      return Content(type: MediaType.form, bytes: Array(text.joined(separator: "&").utf8))
    }
  }

  package let url: String
  /// What kinds of content.
  package let accepts: String
  /// Posted; nil: the URL is only asked for.
  package let content: Content?
  package let authorization: String?
  /// What the server is known by; nil: by the system's roots.
  package let trustRootsFile: String?
  /// Of the answer's body.
  package let bytesMaximum: Int
  /// From the question to the end of its answer.
  package let timeout: Duration

  package init(
    url: String, accepts: String = MediaType.json, posting content: Content? = nil,
    authorization: String? = nil, trustRootsFile: String?, bytesMaximum: Int, timeout: Duration
  ) {
    self.url = url
    self.accepts = accepts
    self.content = content
    self.authorization = authorization
    self.trustRootsFile = trustRootsFile
    self.bytesMaximum = bytesMaximum
    self.timeout = timeout
  }

  package func answer() async throws(Failure) -> Answer {
    // The client's own deadline ends with the head: a body could drip for ever.
    let result = await withTaskGroup(of: Result<Answer, Failure>.self) { group in
      group.addTask { await ask() }
      group.addTask {
        try? await Task.sleep(for: timeout)
        return .failure(.late)
      }
      let first = await group.next()
      group.cancelAll()
      return first ?? .failure(.unreachable)
    }
    return try result.get()
  }

  private func ask() async -> Result<Answer, Failure> {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.timeout.connect = deadline
    if let trustRootsFile {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .file(trustRootsFile)
      configuration.tlsConfiguration = tls
    }
    // Once in minutes: a connection that is kept would only go stale.
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let result = await ask(client)
    try? await client.shutdown()
    return result
  }

  private func ask(_ client: HTTPClient) async -> Result<Answer, Failure> {
    do {
      let response = try await client.execute(request, timeout: deadline)
      let body = try await response.body.collect(upTo: bytesMaximum)
      return .success(
        Answer(
          status: Int(response.status.code), body: Array(body.readableBytesView),
          contentType: response.headers.first(name: "content-type"), date: response.headers.first(name: "date")))
    } catch is NIOTooManyBytesError {
      return .failure(.tooLong)
    } catch is NIOSSLError {
      return .failure(.tls)
    } catch let error as HTTPClientError where error == .deadlineExceeded {
      return .failure(.late)
    } catch {
      return .failure(.unreachable)
    }
  }

  private var request: HTTPClientRequest {
    var request = HTTPClientRequest(url: url)
    request.headers.add(name: "Accept", value: accepts)
    if let authorization { request.headers.add(name: "Authorization", value: authorization) }
    if let content {
      request.method = .POST
      request.headers.add(name: "Content-Type", value: content.type)
      request.body = .bytes(ByteBuffer(bytes: content.bytes))
    }
    return request
  }

  private var deadline: TimeAmount { .milliseconds(Int64(timeout / .milliseconds(1))) }
}
