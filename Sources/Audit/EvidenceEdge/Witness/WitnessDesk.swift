package import Journal
import JournalFormat
package import Logging
import NIOPosix
import Synchronization
package import Transparency

/// A witness with its directory: takes requests one after the other, on a thread of its own.
///
/// One thread decides, writes and only then answers, so there is nothing between reading a log's state and changing it,
/// and no answer leaves before what it says is on the disk. Synced twice a request, that is some hundred a second: each
/// log asks once in a while.
package final class WitnessDesk: Sendable {
  /// Touched by `thread` alone: two requests never meet.
  private final class Clerk: @unchecked Sendable {
    var witness: Witness
    init(_ witness: Witness) { self.witness = witness }
  }

  private let clerk: Clerk
  private let state: WitnessState
  private let unixSeconds: @Sendable () -> UInt64
  private let onFatal: @Sendable (StorageError) -> Void
  private let logger: Logger
  private let thread = NIOThreadPool(numberOfThreads: 1)
  private let waiting = Atomic<Int>(0)

  /// - Parameters:
  ///   - logs: the keys of those that are witnessed.
  ///   - unixSeconds: the clock that is signed.
  ///   - onFatal: what was said could not be kept: ends the process.
  /// - Throws: if it cannot go on from what it has said before.
  package init(
    _ cosigner: Cosigner, logs: [VerifierKey], state: WitnessState, logger: Logger,
    unixSeconds: @escaping @Sendable () -> UInt64, onFatal: @escaping @Sendable (StorageError) -> Void
  ) throws(KeepingFailure) {
    var witness = Witness(cosigner: cosigner, logs: logs)
    for record in try state.records() {
      do throws(WitnessRecordFlaw) {
        try witness.restore(record)
      } catch .unknownLog(let origin) {
        // Nothing is said of it any more, so nothing can contradict it; should it be named again, the file is there.
        logger.warning("a log is not witnessed any more", metadata: ["origin": "\(origin)"])
      } catch {
        throw .damaged(state.path(of: record), "\(error)")
      }
    }
    clerk = Clerk(witness)
    self.state = state
    self.unixSeconds = unixSeconds
    self.onFatal = onFatal
    self.logger = logger
    thread.start()
  }

  /// Has a request decided.
  ///
  /// - Parameters:
  ///   - body: as it came.
  ///   - answer: called once, on the desk's thread, when what it says is durable; nil if it could not be signed.
  /// - Returns: false if too many wait already: then nobody is called.
  package func ask(_ body: [UInt8], _ answer: @escaping @Sendable (WitnessAnswer?) -> Void) -> Bool {
    guard waiting.add(1, ordering: .relaxed).newValue <= WitnessLimits.waitingMaximum else {
      waiting.subtract(1, ordering: .relaxed)
      return false
    }
    thread.submit { [self] state in
      defer { waiting.subtract(1, ordering: .relaxed) }
      guard case .active = state else { return answer(nil) }
      decide(body, answer)
    }
    return true
  }

  /// Lets what was begun come to its end.
  package func stop() async { try? await thread.shutdownGracefully() }

  private func decide(_ body: [UInt8], _ answer: @Sendable (WitnessAnswer?) -> Void) {
    let decision: Witness.Decision
    do throws(AuditKeyError) {
      decision = try clerk.witness.received(body, unixSeconds: unixSeconds())
    } catch {
      logger.error("a cosignature could not be made")
      return answer(nil)
    }
    do throws(StorageError) {
      if let record = decision.record { try state.keep(record) }
      if case .fork = decision.answer { try keepFork(body) }
    } catch {
      return onFatal(error)
    }
    log(decision, body)
    answer(decision.answer)
  }

  private func keepFork(_ body: [UInt8]) throws(StorageError) {
    guard let note = try? AddCheckpointRequest(body).note, let checkpoint = try? LogCheckpoint(text: note.text) else {
      preconditionFailure("what the witness has found to be a fork was read before")
    }
    try state.keepFork(note, of: checkpoint.origin)
  }

  /// A line for each decision. What strangers send is not written down, but for the name of a log that is witnessed.
  private func log(_ decision: Witness.Decision, _ body: [UInt8]) {
    let answer = decision.answer
    var metadata: Logger.Metadata = ["status": "\(answer.status)"]
    if let checkpoint = (try? AddCheckpointRequest(body).note).flatMap({ try? LogCheckpoint(text: $0.text) }),
      clerk.witness.looksAfter(checkpoint.origin)
    {
      metadata["origin"] = "\(checkpoint.origin)"
      metadata["size"] = "\(checkpoint.head.size)"
      metadata["root"] = "\(checkpoint.head.root)"
      if let known = clerk.witness.record(of: checkpoint.origin)?.head {
        metadata["knownSize"] = "\(known.size)"
        metadata["knownRoot"] = "\(known.root)"
      }
    }
    switch answer {
    case .cosigned: logger.notice("cosigned a checkpoint", metadata: metadata)
    case .fork:
      logger.critical(
        "FORK: the log has signed two trees of the same size; both are kept in the state directory", metadata: metadata)
    case .inconsistent:
      logger.error(
        """
        ALARM: a signed checkpoint came with a proof that does not hold: the log has forked, or a stranger has sent a \
        wrong proof with a checkpoint that everybody can read
        """, metadata: metadata)
    default: logger.info("refused a checkpoint", metadata: metadata)
    }
  }
}
