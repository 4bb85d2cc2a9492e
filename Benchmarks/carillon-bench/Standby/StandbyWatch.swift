import BenchReport
import CarillonClient
import JSONEnvelope
import NIOCore

/// Asks a server how far it is itself, and how far its standbys are: `GET /admin/1/standbys`.
final class StandbyWatch: Sendable {
  /// How far both were when the server answered.
  struct Answer: Sendable, Equatable {
    /// The last record on the server's disk.
    let position: UInt64
    /// The last one that the standby has acknowledged.
    let followed: UInt64
  }

  /// Between an answer and the next question.
  private static let pause = Duration.milliseconds(1)
  /// Of a standby that has to copy first.
  private static let pauseOfCopy = Duration.milliseconds(20)

  private let pool: HTTPPool
  private let headers: [(name: String, value: String)]

  init(_ server: BenchServer) async throws {
    headers = [
      (name: "Authorization", value: "Bearer \(try await server.createToken(name: "admin", ["--role", "admin"]))")
    ]
    pool = HTTPPool(server.address)
  }

  func close() { pool.shutDown() }

  /// Nil as long as the standby has said nothing, or is gone.
  func ask(_ name: String) async throws -> Answer? {
    let response = try await pool.response(
      to: HTTPRequest(.get, "/admin/1/standbys", headers: headers), timeout: Limits.requestTimeout)
    guard response.status == 200, let list = try JSONValue(parsing: response.bodyBytes).array else {
      throw BenchError("the list of standbys was answered with \(response.status)")
    }
    guard let standby = list.first(where: { $0["name"]?.string == name }), standby["connected"]?.bool == true,
      let followed = standby["acknowledged"]?.integer, let behind = standby["recordsBehind"]?.integer
    else { return nil }
    return Answer(position: UInt64(followed + behind), followed: UInt64(followed))
  }

  /// Waits until a standby has all that the server has.
  /// - Returns: how far both are.
  @discardableResult
  func waitUntilLevel(_ standby: BenchStandby) async throws -> UInt64 {
    let deadline = ContinuousClock.now + Limits.setUpTimeout
    while ContinuousClock.now < deadline, standby.isRunning {
      if let answer = try await ask(standby.name), answer.followed == answer.position { return answer.position }
      try await Task.sleep(for: Self.pauseOfCopy)
    }
    throw BenchError("the standby did not come to the server's end:\n\(standby.log)")
  }

  /// Asks again and again for `duration`, and then until the standby has all that was seen.
  func follow(_ standby: BenchStandby, for duration: Duration) async throws -> FollowedRecords {
    var followed = FollowedRecords()
    let end = ContinuousClock.now + duration
    let deadline = end + Limits.drainTimeout
    while ContinuousClock.now < end || !followed.isLevel {
      guard ContinuousClock.now < deadline else { throw BenchError("the standby falls behind:\n\(standby.log)") }
      let asked = NIODeadline.now()
      guard let answer = try await ask(standby.name) else {
        throw BenchError("the standby does not follow any more:\n\(standby.log)")
      }
      followed.answer(
        asked: Int64(asked.uptimeNanoseconds), answered: Int64(NIODeadline.now().uptimeNanoseconds),
        position: answer.position, followed: answer.followed)
      try await Task.sleep(for: Self.pause, tolerance: .zero)
    }
    return followed
  }
}
