public import JournalFormat

/// One checkpoint on its way to one witness: what to ask next, and what an answer means.
///
/// ```
///          ┌───── 409 with another size, a few times ─────┐
///          ▼                                              │
///  ask(old size) ── the rim makes the proof and asks ── answer ──▶ cosigned | failed
/// ```
/// Spec: C2SP tlog-witness, add-checkpoint.
public struct CosigningRound: Sendable {
  public enum Step: Sendable, Equatable {
    /// To be asked with `request`, and the proof from this size, within the time that the rim allows.
    case ask(oldSize: UInt64)
    /// The line to be added to the checkpoint, and when the witness signed, in seconds since 1970 by its clock.
    case cosigned(NoteSignature, unixSeconds: UInt64)
    case failed(CosigningFailure)
  }

  /// What came back.
  public enum Outcome: Sendable, Equatable {
    /// `contentType` as it stands in the header, without regard to parameters.
    case answered(status: Int, contentType: String, body: [UInt8])
    /// Nothing within the time allowed.
    case late
    case unreachable
  }

  private let note: SignedNote
  private let checkpoint: LogCheckpoint
  private let witness: VerifierKey
  private var oldSize: UInt64
  private var askCount = 1

  /// - Parameters:
  ///   - note: `checkpoint`, signed by the log.
  ///   - witness: the key that has to cosign.
  ///   - knownSize: of the last checkpoint that this witness has cosigned, as far as we know; 0 if we do not.
  public init(_ note: SignedNote, _ checkpoint: LogCheckpoint, witness: VerifierKey, knownSize: UInt64 = 0) {
    precondition(note.text == checkpoint.text, "the note is of the checkpoint")
    self.note = note
    self.checkpoint = checkpoint
    self.witness = witness
    // A witness that knows more than this checkpoint says so itself.
    oldSize = min(knownSize, checkpoint.head.size)
  }

  public var first: Step { .ask(oldSize: oldSize) }

  /// - Parameter hashes: the proof from the size that the last step named; none from 0.
  public func request(_ hashes: [Hash256]) -> AddCheckpointRequest {
    AddCheckpointRequest(oldSize: oldSize, hashes: hashes, note: note)
  }

  /// - Parameter unixSeconds: now, by our clock.
  public mutating func received(_ outcome: Outcome, unixSeconds: UInt64) -> Step {
    switch outcome {
    case .late: .failed(.late)
    case .unreachable: .failed(.unreachable)
    case .answered(_, _, let body) where body.count > EvidenceLimits.witnessAnswerByteCountMaximum:
      .failed(.answerTooLarge)
    case .answered(200, _, let body): cosigned(body, unixSeconds)
    case .answered(409, let contentType, let body): conflict(contentType, body)
    case .answered(400, _, _): .failed(.malformed)
    case .answered(403, _, _): .failed(.keyUnknown)
    case .answered(404, _, _): .failed(.logUnknown)
    case .answered(422, _, _): .failed(.inconsistent)
    case .answered(let status, _, _): .failed(.unexpected(status: status))
    }
  }

  private func cosigned(_ body: [UInt8], _ now: UInt64) -> Step {
    var lines = TextLines(body[...])
    guard let signatures = try? NoteSignature.all(&lines) else { return .failed(.badAnswer) }
    let own = signatures.filter { $0.isBy(witness) }
    guard let last = own.last else { return .failed(.foreignKey) }
    for signature in own where witness.verify(signature.bytes, of: note.text) == nil { return .failed(.wrongSignature) }
    guard let time = witness.verify(last.bytes, of: note.text)?.unixSeconds else { return .failed(.wrongSignature) }
    let difference = time > now ? time - now : now - time
    guard difference <= EvidenceLimits.witnessClockDifferenceSecondsMaximum else {
      return .failed(.wrongTime(secondsAhead: Int64(clamping: time) - Int64(clamping: now)))
    }
    return .cosigned(last, unixSeconds: time)
  }

  private mutating func conflict(_ contentType: String, _ body: [UInt8]) -> Step {
    let type = contentType.prefix { $0 != ";" && $0 != " " }.lowercased()
    guard type == WitnessAnswer.sizeContentType, body.last == lineFeed, let size = Decimal.parse(body.dropLast()) else {
      return .failed(.badConflict)
    }
    if size > checkpoint.head.size { return .failed(.witnessIsAhead(size: size)) }
    if size == oldSize { return .failed(size == checkpoint.head.size ? .fork(size: size) : .badConflict) }
    guard askCount < EvidenceLimits.witnessAskCountMaximum else { return .failed(.tooManyConflicts) }
    askCount += 1
    oldSize = size
    return .ask(oldSize: size)
  }
}
