package import AuditEngine
import EngineKit
import EventSourcing
package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import Transparency

/// The journal as a log that strangers can check: checkpoints and tiles for those whom the operator lets in, and how it
/// stands with it for operators. Spec: C2SP tlog-tiles.
package struct LogRoutes: TokenRoutes {
  let evidence: EvidenceService
  package let tokens: TokenStore

  package init(evidence: EvidenceService, tokens: TokenStore) {
    self.evidence = evidence
    self.tokens = tokens
  }

  /// Whoever may read, as the operator has it.
  enum Reader: Sendable {
    /// Caches on the way may keep what is answered.
    case anyone
    case `operator`
  }

  /// - Throws: 404 if there is nothing to read for anybody; 401 and 403 where operators alone may.
  func admit(_ request: Request) throws(EdgeFailure) -> Reader {
    switch evidence.readers {
    case .nobody: throw .notFound
    case .anyone: return .anyone
    case .token:
      try request.requireOperator(tokens)
      return .operator
    }
  }

  // MARK: For strangers

  func checkpoint(_ reader: Reader) throws -> Response {
    guard let entry = evidence.published else { throw LogReadFailure.noCheckpoint }
    return Self.answer(
      entry.note.bytes, type: "text/plain; charset=utf-8", reader, cached: "max-age=\(Self.checkpointSeconds)")
  }

  /// - Parameter path: of the request, as it came.
  func tile(_ path: String, _ reader: Reader) async throws -> Response {
    guard path.hasPrefix(Self.prefix) else { throw EdgeFailure.notFound }
    guard let tile = TileAddress(path: String(path.dropFirst(Self.prefix.count))) else {
      throw EdgeFailure.badParameter("tile", "is not the path of a tile, such as 0/x001/067 or entries/000.p/8")
    }
    let bytes = try await evidence.bytes(of: tile)
    return Self.answer(bytes, type: "application/octet-stream", reader, cached: "max-age=31536000, immutable")
  }

  private static let prefix = "/tlog/"
  /// How long a checkpoint may be kept by others.
  private static let checkpointSeconds = 5

  private static func answer(_ bytes: [UInt8], type: String, _ reader: Reader, cached: String) -> Response {
    let scope =
      switch reader {
      case .anyone: "public"
      case .operator: "private"
      }
    return Response(
      status: .ok, headers: [.contentType: type, .cacheControl: "\(scope), \(cached)"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  // MARK: For operators

  func status(_ request: Request) async throws -> Response {
    _ = try ListQuery.known(request, [])
    guard let status = await evidence.status() else { throw LogObstacle.notConfigured }
    return .object { Self.write(status, evidence.readers, into: &$0) }
  }

  func makeCheckpoint(_ request: Request) async throws -> Response {
    _ = try ListQuery.known(request, [])
    try await evidence.checkpointNow()
    return try await status(request)
  }

  private static func write(_ status: LogStatus, _ readers: LogReaders, into object: inout JSONObjectWriter) {
    object.member("origin", status.settings.origin.description)
    object.member("verifierKey", ifPresent: status.key?.text)
    object.member("readers", readers.rawValue)
    if let head = status.head {
      object.object("tree") { tree in
        tree.member("size", head.size)
        tree.member("root", head.root.base64)
      }
    }
    object.member("problem", ifPresent: status.obstacle.map { "\($0)" })
    if let entry = status.newest { object.object("newest") { write(entry, into: &$0) } }
    if let entry = status.published { object.object("published") { write(entry, into: &$0) } }
    object.member("quorum", status.settings.quorum)
    object.objects("witnesses", status.witnesses) { witness, object in
      object.member("name", witness.key.name.description)
      object.member("url", witness.url)
      object.member("cosignedSize", witness.knownSize)
      object.member("cosignedAt", ifPresent: witness.unixSeconds.map(Self.time))
      object.member("problem", ifPresent: witness.failure.map { "\($0)" })
      object.member("fork", witness.failure?.isAlarm ?? false)
    }
  }

  private static func write(_ entry: LogBook.Entry, into object: inout JSONObjectWriter) {
    object.member("size", entry.size)
    object.member("root", entry.checkpoint.head.root.base64)
    object.member("cosignatures", entry.cosigned.count)
  }

  private static func time(_ unixSeconds: UInt64) -> String {
    AdminRoutes.time(Int64(clamping: unixSeconds.multipliedReportingOverflow(by: 1_000).partialValue))
  }
}
