internal import AsyncHTTPClient
internal import JSONEnvelope
package import JournalFormat
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
package import StandbyWire
internal import TextEncoding

/// A primary over HTTP: no redirects, nothing longer than it may be, no silence that lasts.
package final class HTTPPrimary: Primary {
  private let base: String
  private let token: @Sendable () throws -> String
  private let client: HTTPClient

  /// - Parameters:
  ///   - url: of `http` or `https`, without a path; a slash at its end does not count.
  ///   - trustRoots: a PEM file of certificates that the primary is known by; nil: the system's.
  ///   - token: asked for each request, so that one that was replaced is used at once.
  /// - Returns: nil unless it is such a URL.
  /// - Throws: if the file holds no certificate.
  package init?(url: String, trustRoots: String? = nil, token: @escaping @Sendable () throws -> String) throws {
    let bare = url.hasSuffix("/") ? String(url.dropLast()) : url
    let authority = ["https://", "http://"].first { bare.hasPrefix($0) }.map { bare.dropFirst($0.count) }
    guard let authority, !authority.isEmpty, authority.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      !authority.contains(where: { "/?#@".contains($0) })
    else { return nil }
    base = bare
    self.token = token
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.timeout.connect = TimeAmount(FollowerLimits.connectTimeout)
    configuration.timeout.read = TimeAmount(FollowerLimits.silenceMaximum)
    configuration.timeout.write = TimeAmount(FollowerLimits.silenceMaximum)
    // The plan has its own pauses.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.httpVersion = .http1Only
    if let trustRoots {
      var tls = TLSConfiguration.makeClientConfiguration()
      let roots = try NIOSSLCertificate.fromPEMFile(trustRoots)
      guard !roots.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
      tls.trustRoots = .certificates(roots)
      configuration.tlsConfiguration = tls
    }
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// Closes every connection; the last call.
  package func shutDown() async {
    // The only error is that it has been done before.
    try? await client.shutdown()
  }

  package func manifest(
    after: StandbyPath?, _ caller: PrimaryCaller
  ) async throws(PrimaryFailure) -> StandbyManifest {
    let query = after.map { [(StandbyRoute.Parameter.after, $0.text)] } ?? []
    let body = try await answer(
      try request(StandbyRoute.manifest, query, caller), bytesMaximum: StandbyLimits.manifestByteCountMaximum)
    do throws(StandbyWireError) {
      return try StandbyManifest(parsing: body)
    } catch {
      throw .wire(error)
    }
  }

  package func file(
    _ file: StandbyFile, _ caller: PrimaryCaller, _ take: @Sendable ([UInt8]) async throws(PrimaryFailure) -> Void
  ) async throws(PrimaryFailure) {
    let parameters = [(StandbyRoute.Parameter.path, file.path), (StandbyRoute.Parameter.version, file.version)]
    let stream = try await open(try request(StandbyRoute.file, parameters, caller))
    var byteCount = 0
    while let piece = try await stream.next() {
      byteCount += piece.count
      guard byteCount <= file.byteCount else { throw .wire(.tooLong) }
      try await take(piece)
    }
    guard byteCount == file.byteCount else { throw .unreachable("a file was broken off") }
  }

  package func stream(
    from place: StandbyPlace, chain: Hash256?, _ caller: PrimaryCaller
  ) async throws(PrimaryFailure) -> any PrimaryStream {
    var parameters = [
      (StandbyRoute.Parameter.standby, caller.name.text), (StandbyRoute.Parameter.segment, "\(place.segment)"),
      (StandbyRoute.Parameter.offset, "\(place.offset)"),
    ]
    if let chain { parameters.append((StandbyRoute.Parameter.chain, "\(chain)")) }
    return try await open(try request(StandbyRoute.stream, parameters, caller))
  }

  package func acknowledge(_ word: StandbyAcknowledgement, _ caller: PrimaryCaller) async throws(PrimaryFailure) {
    var request = try request(StandbyRoute.acknowledgement, [], caller)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    var writer = JSONWriter()
    word.write(into: &writer)
    request.body = .bytes(ByteBuffer(bytes: writer.bytes))
    _ = try await answer(request, bytesMaximum: FollowerLimits.refusalBytesMaximum)
  }

  // MARK: Requests

  private func request(
    _ route: String, _ parameters: [(name: String, value: String)], _ caller: PrimaryCaller
  ) throws(PrimaryFailure) -> HTTPClientRequest {
    let query = parameters.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    var request = HTTPClientRequest(url: base + route + (query.isEmpty ? "" : "?" + query))
    do {
      request.headers.add(name: "Authorization", value: "Bearer \(try token())")
    } catch {
      throw .unreachable("the token cannot be read any more")
    }
    // Who has no copy yet knows of none.
    if caller.epoch > 0 { request.headers.add(name: StandbyRoute.epochField, value: "\(caller.epoch)") }
    return request
  }

  /// The whole body of a short answer.
  private func answer(_ request: HTTPClientRequest, bytesMaximum: Int) async throws(PrimaryFailure) -> [UInt8] {
    let stream = try await open(request)
    var body: [UInt8] = []
    while let piece = try await stream.next() {
      guard body.count + piece.count <= bytesMaximum else { throw .wire(.tooLong) }
      body += piece
    }
    return body
  }

  /// The body of an answer that says that all is well.
  private func open(_ request: HTTPClientRequest) async throws(PrimaryFailure) -> HTTPPrimaryStream {
    let response: HTTPClientResponse
    do {
      response = try await client.execute(request, timeout: TimeAmount(FollowerLimits.answerTimeout))
    } catch {
      throw PrimaryFailure(error)
    }
    let stream = HTTPPrimaryStream(response.body)
    guard !(200...299).contains(response.status.code) else { return stream }
    var body: [UInt8] = []
    while body.count < FollowerLimits.refusalBytesMaximum, let piece = try await stream.next() { body += piece }
    throw StandbyRefusal(parsing: body).map { .refused($0) } ?? .status(Int(response.status.code))
  }
}

/// The body of a response.
///
/// Safe to share: one task at a time asks for the next piece.
private final class HTTPPrimaryStream: PrimaryStream, @unchecked Sendable {
  private var pieces: HTTPClientResponse.Body.AsyncIterator

  init(_ body: HTTPClientResponse.Body) { pieces = body.makeAsyncIterator() }

  func next() async throws(PrimaryFailure) -> [UInt8]? {
    do {
      return try await pieces.next().map { Array($0.readableBytesView) }
    } catch {
      throw PrimaryFailure(error)
    }
  }
}

extension PrimaryFailure {
  /// In a few words, without the URL: errors of others may hold it whole.
  fileprivate init(_ error: any Error) {
    self =
      switch error {
      case is NIOSSLError, is BoringSSLError: .unreachable("TLS with the primary failed: \(error)")
      case let error as HTTPClientError where error == .readTimeout: .unreachable("the primary has fallen silent")
      case is CancellationError: .unreachable("stopped")
      default: .unreachable("the primary cannot be reached")
      }
  }
}
