package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import JournalFormat
package import StandbyEngine
import StandbyWire

/// What standbys ask their primary, with a token of the role `standby` or `admin`; and how they stand, for operators.
package struct StandbyRoutes: TokenRoutes {
  let standbys: StandbyService
  package let tokens: TokenStore

  package init(standbys: StandbyService, tokens: TokenStore) {
    self.standbys = standbys
    self.tokens = tokens
  }

  /// The one path below which these are answered as soon as the journal is open and until the server has ended: before
  /// it serves anybody else, and while it stops.
  package static func takes(_ target: String) -> Bool { target.hasPrefix("/admin/1/standby/") }

  func stream(_ request: Request) async throws -> Response {
    // To HEAD there is no end either, and nothing to say.
    guard request.method == .get else { throw EdgeFailure.methodNotAllowed(allow: "GET, OPTIONS") }
    typealias Name = StandbyRoute.Parameter
    let query = try ListQuery(ofResource: request, [Name.standby, Name.segment, Name.offset, Name.chain])
    let name = try Self.value(query, Name.standby, "has not 1 to 64 letters, digits, '.', '_' and '-'") {
      StandbyName($0)
    }
    let segment = try Self.value(query, Name.segment, "is not the number of a segment") { UInt64($0) }
    let offset = try Self.value(query, Name.offset, "is not a place in a segment") { Int($0) }
    // Who makes a new copy of a journal whose beginning was deleted cannot know it: nothing came before.
    let chainHash =
      offset == 0 && query[Name.chain] == nil
      ? nil : try Self.value(query, Name.chain, "has not 64 hexadecimal digits") { Hash256(hexadecimal: $0) }
    guard segment > 0 else { throw EdgeFailure.badParameter(Name.segment, "is not the number of a segment") }
    guard (0...FormatLimits.segmentReadByteCountMaximum).contains(offset) else {
      throw EdgeFailure.badParameter(Name.offset, "is not a place in a segment")
    }
    try await hear(request)
    let stream = try await standbys.follow(
      name, from: StandbyPlace(segment: segment, offset: offset), chainHash: chainHash)
    return Response(
      status: .ok,
      headers: [.contentType: StandbyRoute.streamMediaType, .cacheControl: "no-store", .xAccelBuffering: "no"],
      body: ResponseBody { writer in
        var writer = writer
        while let bytes = try await stream.next() { try await writer.write(ByteBuffer(bytes: bytes)) }
        try await writer.finish(nil)
      })
  }

  func manifest(_ request: Request) async throws -> Response {
    let query = try ListQuery(ofResource: request, [StandbyRoute.Parameter.after])
    let after = try query[StandbyRoute.Parameter.after].map { text throws(EdgeFailure) in
      guard let place = StandbyPath(text) else { throw .badParameter("after", "is not where a page ended") }
      return place
    }
    try await hear(request)
    let manifest = try await standbys.manifest(after: after)
    return .json { $0.value(manifest) }
  }

  func file(_ request: Request) async throws -> Response {
    typealias Name = StandbyRoute.Parameter
    let query = try ListQuery(ofResource: request, [Name.path, Name.version])
    let place = try Self.value(query, Name.path, "is not the path of a file that standbys copy") { StandbyPath($0) }
    let version = try Self.value(query, Name.version, "is not a version") { StandbyFile.isVersion($0) ? $0 : nil }
    try await hear(request)
    let file = try await standbys.file(place, version: version)
    var fields: HTTPFields = [
      .contentType: StandbyRoute.streamMediaType, .cacheControl: "no-store", .acceptRanges: "bytes",
    ]
    var range = 0..<file.byteCount
    let part = request.headers[.range].flatMap { ByteRange($0) }
    if let part {
      guard let within = part.range(in: file.byteCount) else { throw EdgeFailure.rangeNotSatisfiable }
      range = within
      fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.byteCount)"
    }
    let body = ResponseBody(contentLength: range.count) { [range] writer in
      var writer = writer
      try await file.send(range) { try await writer.write(ByteBuffer(bytes: $0)) }
      try await writer.finish(nil)
    }
    return Response(status: part == nil ? .ok : .partialContent, headers: fields, body: body)
  }

  func acknowledge(_ request: Request) async throws -> Response {
    _ = try ListQuery.known(request, [])
    let body = try await request.bytes(upTo: StandbyLimits.acknowledgementByteCountMaximum)
    let acknowledgement: StandbyAcknowledgement
    do {
      acknowledgement = try StandbyAcknowledgement(parsing: body)
    } catch {
      throw EdgeFailure.malformed("The body is not an acknowledgement: standby, segment, offset, position")
    }
    try await hear(request)
    try standbys.acknowledge(acknowledgement)
    return Response(status: .noContent)
  }

  func list(_ request: Request) throws -> Response {
    _ = try ListQuery.known(request, [])
    let standings = standbys.standings
    return .json { list in
      list.objects(standings) { standing, object in
        object.member("name", standing.name.text)
        object.member("connected", standing.isConnected)
        object.member("acknowledged", ifPresent: standing.acknowledged)
        object.member("recordsBehind", ifPresent: standing.recordsBehind)
        object.member("secondsBehind", Double(standing.millisecondsBehind) / 1_000)
      }
    }
  }

  /// Whoever asks may know that this is no primary any more.
  private func hear(_ request: Request) async throws {
    guard let text = request.headers[.carillonEpoch] else { return }
    guard let epoch = UInt32(text), epoch > 0 else {
      throw EdgeFailure.malformed("The header field \(StandbyRoute.epochField) is not an epoch")
    }
    try await standbys.hear(of: epoch)
  }

  private static func value<Value>(
    _ query: ListQuery, _ name: String, _ reason: String, _ read: (String) -> Value?
  ) throws(EdgeFailure) -> Value {
    guard let text = query[name] else { throw .missingParameter(name) }
    guard let value = read(text) else { throw .badParameter(name, reason) }
    return value
  }
}

extension HTTPField.Name {
  fileprivate static let carillonEpoch = HTTPField.Name(StandbyRoute.epochField)!
}
