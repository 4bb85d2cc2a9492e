public import JournalFormat

/// A witness as a value: for each log it knows the largest checkpoint that it has cosigned, and cosigns only what
/// begins with that one. Spec: C2SP tlog-witness, add-checkpoint.
///
/// ```
///             first request, old 0           old = known, proof good
///  unknown ───────────────────────▶ known ───────────────────────────▶ known, larger or the same
/// ```
public struct Witness: Sendable {
  /// What follows from a request.
  public struct Decision: Sendable, Equatable {
    /// To be on the disk, in the place of the one before, when `answer` leaves: a witness that forgot what it has said
    /// could be led into a fork. If it cannot be written, the process ends. Nil: nothing changes.
    public let record: WitnessRecord?
    public let answer: WitnessAnswer
  }

  private let cosigner: Cosigner
  private let keys: [KeyName: [VerifierKey]]
  private var records: [KeyName: WitnessRecord] = [:]

  /// - Parameter logs: the keys of all logs that it looks after; a log may have several.
  public init(cosigner: Cosigner, logs: [VerifierKey]) {
    self.cosigner = cosigner
    keys = Dictionary(grouping: logs.filter { $0.kind == .note }, by: \.name)
  }

  /// Whether it was told of a log of this name.
  public func looksAfter(_ origin: KeyName) -> Bool { keys[origin] != nil }

  /// What it knows of a log; nil before the first checkpoint.
  public func record(of origin: KeyName) -> WitnessRecord? { records[origin] }

  /// Takes back what was on the disk, before the first request.
  ///
  /// - Throws: if it was damaged, or is another witness's: without knowing what was said nothing may be said.
  public mutating func restore(_ record: WitnessRecord) throws(WitnessRecordFlaw) {
    guard keys[record.origin] != nil else { throw .unknownLog(record.origin) }
    do throws(NoteFlaw) { _ = try record.note.verify(with: [cosigner.verifierKey]) } catch { throw .note(error) }
    records[record.origin] = record
  }

  /// Decides on a request; the next one finds what this one has changed.
  ///
  /// - Parameters:
  ///   - body: as it came.
  ///   - unixSeconds: now.
  /// - Throws: `signingFailed`; nothing has changed then.
  public mutating func received(_ body: [UInt8], unixSeconds: UInt64) throws(AuditKeyError) -> Decision {
    let request: AddCheckpointRequest
    do throws(AddCheckpointFlaw) { request = try AddCheckpointRequest(body) } catch { return refuse(.malformed(error)) }
    let checkpoint: LogCheckpoint
    do throws(LogCheckpointFlaw) {
      checkpoint = try LogCheckpoint(text: request.note.text)
    } catch {
      return refuse(.malformed(.badCheckpoint(error)))
    }
    if let refusal = refusal(of: request, checkpoint) { return refuse(refusal) }
    let signature = try cosigner.cosignature(of: request.note.text, unixSeconds: unixSeconds)
    // Of the signatures that came only the log's own are kept: the others are nobody's that we know.
    let note: SignedNote
    do throws(NoteFlaw) {
      note = try SignedNote(checkpoint: request.note, keeping: keys[checkpoint.origin] ?? [], adding: signature)
    } catch {
      // What could not be read again after a restart is not remembered, and so not said.
      return refuse(.malformed(.badNote(error)))
    }
    let record = WitnessRecord(checkpoint, note: note)
    records[checkpoint.origin] = record
    return Decision(record: record, answer: .cosigned([signature]))
  }

  private func refuse(_ answer: WitnessAnswer) -> Decision { Decision(record: nil, answer: answer) }

  /// The checks in the specification's order; nil if all are passed.
  private func refusal(of request: AddCheckpointRequest, _ checkpoint: LogCheckpoint) -> WitnessAnswer? {
    guard let keys = keys[checkpoint.origin] else { return .unknownLog }
    guard (try? request.note.verify(with: keys)) != nil else { return .unsigned }
    guard request.oldSize <= checkpoint.head.size else {
      return .malformed(.oldSizeAbove(request.oldSize, size: checkpoint.head.size))
    }
    let known = records[checkpoint.origin]?.head ?? .empty
    guard request.oldSize == known.size else { return .conflict(knownSize: known.size) }
    guard known.size != checkpoint.head.size || known.root == checkpoint.head.root else {
      return .fork(knownSize: known.size)
    }
    guard MerkleProof.isConsistent(old: known, new: checkpoint.head, hashes: request.hashes) else {
      return .inconsistent
    }
    return nil
  }
}
