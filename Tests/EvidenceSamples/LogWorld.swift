import AuditEngine
package import EngineKit
import Foundation
package import JournalFormat
import Synchronization
package import Transparency

/// A log and its witnesses with keys that are the same in every run.
package enum LogWorld {
  package static let logKey = StandInLog.key(1)
  package static let log = NoteSigner(name: StandInLog.name("carillon.example.com/main"), key: logKey)
  package static let witnesses = (0..<3).map {
    Cosigner(name: StandInLog.name("w\($0).example.com"), key: StandInLog.key(UInt8(10 + $0)))
  }

  package static func root(_ size: UInt64) -> Hash256 {
    MerkleTree.node(MerkleTree.emptyRoot, MerkleTree.leaf(number(size)))
  }

  private static func number(_ size: UInt64) -> Hash256 {
    [UInt8](repeating: UInt8(truncatingIfNeeded: size), count: 32).withUnsafeBytes { Hash256($0) } ?? .zero
  }

  /// Of the section `server`.
  ///
  /// - Parameters:
  ///   - witnesses: so many of them.
  ///   - file: of the key.
  ///   - changes: nil takes an option away.
  package static func section(
    witnesses: Int, key file: String = "key.pem", _ changes: [String: String?] = [:]
  ) -> [String: String] {
    var section = [
      "journal.origin": log.verifierKey.name.description, "journal.checkpoint_key": file,
      "journal.checkpoint_interval": "0",
      "journal.witnesses": Self.witnesses.prefix(witnesses).enumerated().map { index, witness in
        "\(witness.verifierKey.text) https://w\(index).example.com/"
      }.joined(separator: ","),
    ]
    for (name, value) in changes { section[name] = value }
    return section
  }

  package static func options(witnesses: Int, _ changes: [String: String?] = [:]) -> Options {
    Options(sections: ["server": section(witnesses: witnesses, changes)])
  }
}

/// Witnesses in the process: each answers as it is told to.
package final class ScriptedWitnesses: WitnessCaller {
  package enum Answer: Sendable {
    case honest
    /// Its clock is off by so many seconds.
    case clock(Int64)
    case foreignKey
    case late
    case unreachable
    case status(Int, contentType: String = "text/plain", body: String = "")
  }

  private struct State {
    var answers: [Int: Answer] = [:]
    var witnesses: [Int: Witness] = [:]
    var asked: [Int: [UInt64]] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// How a witness answers from now on.
  package func set(_ index: Int, _ answer: Answer) { state.withLock { $0.answers[index] = answer } }

  /// It has forgotten all that it knew.
  package func forget(_ index: Int) { state.withLock { $0.witnesses[index] = nil } }

  /// The old sizes that a witness was asked with.
  package func asked(_ index: Int) -> [UInt64] { state.withLock { $0.asked[index] ?? [] } }

  package func post(
    _ body: [UInt8], to url: String, trustRootsFile: String?, timeout: Duration
  ) async -> CosigningRound.Outcome {
    guard let digit = url.firstMatch(of: /https:\/\/w([0-9])\.example\.com\/add-checkpoint/)?.output.1,
      let index = Int(digit), let request = try? AddCheckpointRequest(body)
    else { return .unreachable }
    let now = Int64(Date().timeIntervalSince1970)
    return state.withLock { state in
      state.asked[index, default: []].append(request.oldSize)
      switch state.answers[index] ?? .honest {
      case .honest: return Self.answer(&state, index, LogWorld.witnesses[index], body, now)
      case .clock(let seconds): return Self.answer(&state, index, LogWorld.witnesses[index], body, now + seconds)
      case .foreignKey:
        return Self.answer(
          &state, index, Cosigner(name: LogWorld.witnesses[index].verifierKey.name, key: StandInLog.key(99)), body, now)
      case .late: return .late
      case .unreachable: return .unreachable
      case .status(let status, let contentType, let body):
        return .answered(status: status, contentType: contentType, body: Array(body.utf8))
      }
    }
  }

  private static func answer(
    _ state: inout State, _ index: Int, _ cosigner: Cosigner, _ body: [UInt8], _ now: Int64
  ) -> CosigningRound.Outcome {
    var witness = state.witnesses[index] ?? Witness(cosigner: cosigner, logs: [LogWorld.log.verifierKey])
    guard let decision = try? witness.received(body, unixSeconds: UInt64(now)) else { return .unreachable }
    if cosigner.verifierKey == LogWorld.witnesses[index].verifierKey { state.witnesses[index] = witness }
    let answer = decision.answer
    return .answered(status: answer.status, contentType: answer.contentType, body: Array(answer.body.utf8))
  }
}
