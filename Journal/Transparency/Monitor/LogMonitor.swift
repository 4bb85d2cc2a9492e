/// Follows the checkpoints of one log for ever, and says when they cannot all be true.
///
/// ```
///            checkpoint            tiles
///  waiting ─────────────▶ comparing ─────▶ settled: what is to be remembered, what is to be kept as evidence,
///     ▲          │ nothing to compare │                 what was found; then it waits for the next checkpoint
///     └──────────┴────────────────────┘
/// ```
/// What it remembers moves forward only along proofs: after a fork it stays where it was, and goes on to say so.
public struct LogMonitor: Sendable {
  public enum Step: Sendable, Equatable {
    /// These tiles are to be fetched, and handed to `received(tiles:)`.
    case fetch([TileAddress])
    case settled(Outcome)
  }

  public struct Outcome: Sendable, Equatable {
    /// To be on the disk before anything is told. Nil: nothing has changed.
    public let record: MonitorRecord?
    /// A checkpoint that contradicts what is remembered: to be kept beside it.
    public let evidence: SignedNote?
    /// All that is wrong now; none: all is well.
    public let findings: [MonitorFinding]

    public init(record: MonitorRecord?, evidence: SignedNote?, findings: [MonitorFinding]) {
      (self.record, self.evidence, self.findings) = (record, evidence, findings)
    }
  }

  private struct Candidate: Sendable {
    let checkpoint: LogCheckpoint
    let note: SignedNote
    /// When it was new.
    let seenUnixSeconds: UInt64
    let findings: [MonitorFinding]
    let unixSeconds: UInt64
  }

  public let origin: KeyName
  private let policy: TrustPolicy
  private let stallSeconds: UInt64?
  public private(set) var record: MonitorRecord?
  private var candidate: Candidate?
  /// While nothing is remembered yet.
  private var firstAskedUnixSeconds: UInt64?

  /// - Parameters:
  ///   - origin: of a log that the policy names.
  ///   - stallSeconds: after which silence is an alarm; nil: never.
  public init(origin: KeyName, policy: TrustPolicy, stallSeconds: UInt64? = nil) {
    self.origin = origin
    self.policy = policy
    self.stallSeconds = stallSeconds
  }

  /// Takes back what was on the disk, before the first checkpoint.
  public mutating func restore(_ record: MonitorRecord) throws(MonitorRecordFlaw) {
    guard record.origin == origin else { throw .otherLog(record.origin) }
    let keys = policy.logs.map(\.key).filter { $0.name == origin }
    do throws(NoteFlaw) { _ = try record.note.verify(with: keys) } catch { throw .note(error) }
    self.record = record
  }

  /// The log could not be asked, or its tiles could not be fetched.
  public mutating func received(_ failure: MonitorFinding, unixSeconds: UInt64) -> Step {
    settle([failure] + (candidate?.findings ?? []), unixSeconds)
  }

  /// - Parameters:
  ///   - bytes: of the checkpoint, as they came.
  ///   - unixSeconds: now.
  public mutating func received(checkpoint bytes: [UInt8], unixSeconds: UInt64) -> Step {
    let note: SignedNote
    do throws(NoteFlaw) { note = try SignedNote(bytes) } catch { return settle([.badNote(error)], unixSeconds) }
    var findings: [MonitorFinding] = []
    var cosigned: [Endorsement.Cosigned] = []
    do throws(EndorsementRefusal) {
      cosigned = try policy.judge(note).cosigned
    } catch {
      findings.append(.refused(error))
      // Whether the log contradicts itself does not depend on who has seen it.
      guard case .quorumMissing = error else { return settle(findings, unixSeconds) }
    }
    guard let checkpoint = try? LogCheckpoint(text: note.text) else {
      preconditionFailure("what a policy has judged is a checkpoint")
    }
    guard checkpoint.origin == origin else { return settle([.otherLog(checkpoint.origin)], unixSeconds) }
    findings += Self.clocks(cosigned, unixSeconds)
    // What was cosigned long ago is not new because we see it for the first time.
    let seen = min(unixSeconds, cosigned.map(\.unixSeconds).max() ?? unixSeconds)
    let candidate = Candidate(
      checkpoint: checkpoint, note: note, seenUnixSeconds: seen, findings: findings, unixSeconds: unixSeconds)
    return compare(candidate)
  }

  /// - Parameter tiles: those of `fetch`, as they came.
  public mutating func received(tiles: [TileAddress: [UInt8]]) -> Step {
    guard let candidate else { preconditionFailure("tiles come after a checkpoint that asks for them") }
    let (old, new) = (record?.head ?? .empty, candidate.checkpoint.head)
    let findings = candidate.findings
    let source = FetchedTiles(tiles: tiles)
    if let cut = tiles.first(where: { $1.count != $0.width * TileAddress.hashByteCount }) {
      return settle([.tileCut(cut.key, byteCount: cut.value.count)] + findings, candidate.unixSeconds)
    }
    let comparison: TreeComparison
    do {
      comparison = try TreeComparison.make(from: old.size, to: new.size, source)
    } catch let missing as FetchedTiles.Missing {
      return settle([.tileMissing(missing.tile)] + findings, candidate.unixSeconds)
    } catch {
      preconditionFailure("a tree's own tiles prove whatever is asked of it: \(error)")
    }
    guard comparison.head == new, source.areBound(in: new.size) else {
      return settle([.foreignTiles(size: new.size)] + findings, candidate.unixSeconds)
    }
    guard MerkleProof.isConsistent(old: old, new: new, hashes: comparison.consistency) else {
      return settle(
        [.inconsistent(from: old.size, to: new.size)] + findings, candidate.unixSeconds, evidence: candidate.note)
    }
    return advance(candidate)
  }

  private mutating func compare(_ candidate: Candidate) -> Step {
    let (new, findings, now) = (candidate.checkpoint.head, candidate.findings, candidate.unixSeconds)
    self.candidate = candidate
    if let record {
      let old = record.head
      if new.size < old.size {
        return settle([.shrunk(from: old.size, to: new.size)] + findings, now, evidence: candidate.note)
      }
      if new.size == old.size {
        guard new.root == old.root else {
          return settle([.fork(size: new.size)] + findings, now, evidence: candidate.note)
        }
        return refresh(record, candidate)
      }
    }
    return .fetch(TileDemand.tiles(from: record?.head.size ?? 0, to: new.size))
  }

  /// The same tree again: a later cosignature is a sign of life.
  private mutating func refresh(_ record: MonitorRecord, _ candidate: Candidate) -> Step {
    let isNewer = hasCosignatures(candidate.note) && candidate.seenUnixSeconds > record.seenUnixSeconds
    return isNewer ? advance(candidate) : settle(candidate.findings, candidate.unixSeconds)
  }

  private func hasCosignatures(_ note: SignedNote) -> Bool {
    policy.witnesses.contains { witness in note.signatures.contains { $0.isBy(witness.key) } }
  }

  private mutating func advance(_ candidate: Candidate) -> Step {
    let fresh = MonitorRecord(
      candidate.checkpoint, note: candidate.note, seenUnixSeconds: candidate.seenUnixSeconds)
    record = fresh
    return settle(candidate.findings, candidate.unixSeconds, record: fresh)
  }

  private mutating func settle(
    _ findings: [MonitorFinding], _ now: UInt64, record fresh: MonitorRecord? = nil, evidence: SignedNote? = nil
  ) -> Step {
    candidate = nil
    let start = firstAskedUnixSeconds ?? now
    firstAskedUnixSeconds = start
    var findings = findings
    let last = record?.seenUnixSeconds ?? start
    if let stallSeconds, now > last, now - last >= stallSeconds {
      findings.append(.stalled(seconds: now - last, size: record?.head.size ?? 0))
    }
    return .settled(Outcome(record: fresh, evidence: evidence, findings: findings))
  }

  private static func clocks(_ cosigned: [Endorsement.Cosigned], _ now: UInt64) -> [MonitorFinding] {
    cosigned.compactMap { line in
      guard line.unixSeconds > now,
        line.unixSeconds - now > EvidenceLimits.witnessClockDifferenceSecondsMaximum
      else { return nil }
      return .witnessClock(witness: line.witness, secondsAhead: line.unixSeconds - now)
    }
  }
}
