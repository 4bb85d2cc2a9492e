/// Whom somebody trusts: which logs, and which witnesses have to have seen a checkpoint.
///
/// A file of lines, each ending with a line feed; words are parted by spaces and tabs, `#` begins a comment line:
/// ```
/// log <verifier key> [url]                    a log; its key's name is its origin
/// witness <name> <verifier key> [url]         a witness; the name is for this file only
/// group <name> <n|all|any> <members…>         holds if n of its members do; a name is a member once
/// quorum <name|none>                          what has to hold; exactly one such line
/// ```
/// Names stand above where they are used, so that no group can contain itself. Spec: C2SP tlog-policy.
public struct TrustPolicy: Sendable, Equatable {
  public struct Log: Sendable, Equatable {
    public let key: VerifierKey
    public let url: String?
  }

  public struct Witness: Sendable, Equatable {
    /// What the file calls it; nothing else does.
    public let name: String
    public let key: VerifierKey
    public let url: String?
  }

  struct Group: Sendable, Equatable {
    let threshold: Int
    let members: [Member]
  }

  /// By the number in its list.
  enum Member: Sendable, Hashable {
    case witness(Int)
    case group(Int)
  }

  public let logs: [Log]
  public let witnesses: [Witness]
  let groups: [Group]
  /// Nil: no cosignature is asked for.
  let quorum: Member?
  /// What the file calls it, `none` too.
  public let quorumName: String

  /// Whether a note is a checkpoint of one of the logs, and was seen by those who have to have seen it.
  ///
  /// - Returns: what may be trusted.
  public func judge(_ note: SignedNote) throws(EndorsementRefusal) -> Endorsement {
    let checkpoint: LogCheckpoint
    do throws(LogCheckpointFlaw) { checkpoint = try LogCheckpoint(text: note.text) } catch { throw .checkpoint(error) }
    let ownKeys = logs.map(\.key).filter { $0.name == checkpoint.origin }
    guard !ownKeys.isEmpty else { throw .unknownLog(checkpoint.origin) }
    let verified: [VerifiedSignature]
    do throws(NoteFlaw) {
      verified = try note.verify(with: ownKeys + witnesses.map(\.key))
    } catch .unsigned {
      throw .unsigned(checkpoint.origin)
    } catch {
      throw .note(error)
    }
    guard let log = verified.first(where: { $0.unixSeconds == nil }) else { throw .unsigned(checkpoint.origin) }
    let times = witnesses.map { witness in verified.first { $0.key == witness.key }?.unixSeconds }
    let cosigned = zip(witnesses, times).compactMap { witness, time in
      time.map { Endorsement.Cosigned(witness: witness.name, unixSeconds: $0) }
    }
    guard holds(quorum, times) else { throw .quorumMissing(quorumName, cosigned: cosigned.map(\.witness)) }
    return Endorsement(checkpoint: checkpoint, log: log.key, cosigned: cosigned)
  }

  /// Members name only what comes before them in the file: this ends.
  private func holds(_ member: Member?, _ times: [UInt64?]) -> Bool {
    switch member {
    case nil: true
    case .witness(let index): times[index] != nil
    case .group(let index):
      groups[index].members.count { holds($0, times) } >= groups[index].threshold
    }
  }
}
