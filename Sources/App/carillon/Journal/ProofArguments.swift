import ArgumentParser
import Engine
import Journal
import JournalFormat
import SystemPackage
import Transparency

/// From which journal proofs are made, and for which checkpoint.
struct ProofArguments: ParsableArguments {
  @OptionGroup var journal: JournalArguments
  @Option(help: "The checkpoint that it is proven for, a signed note; if absent, the best that the server has kept.")
  var note: String?

  /// Runs `body`; whatever is in the way ends the command with its exit code.
  ///
  /// - Parameter position: what the checkpoint has to reach; 0: whatever it reaches.
  func proving<Result>(_ position: UInt64, _ body: (RecordProver, JournalReader) throws -> Result) throws -> Result {
    do {
      return try journal.read { reader, _ in
        let place = try journal.place()
        let tree = JournalTree(directory: place.path, archive: place.archive)
        try tree.open()
        return try body(try RecordProver(try signedNote(position), reader, tree), reader)
      }
    } catch let obstacle as ProofObstacle {
      throw CommandFailure(obstacle)
    } catch let error as FoundRecords.TooMany {
      throw CommandFailure(.usage, "\(error): ask for a part of them")
    }
  }

  private func signedNote(_ position: UInt64) throws -> SignedNote {
    guard let note else { return try kept(position) }
    let bytes = try EvidenceFile.read(
      note, byteCountMaximum: EvidenceLimits.noteByteCountMaximum,
      tooLarge: CommandFailure(.foreignCheckpoint, "\(note) is too large for a signed note"))
    do throws(NoteFlaw) { return try SignedNote(bytes) } catch {
      throw CommandFailure(.foreignCheckpoint, "\(note) is no signed note: \(error)")
    }
  }

  /// Of the newest one's log the one that most have signed, and of these the newest; one that reaches `position` if
  /// there is one.
  private func kept(_ position: UInt64) throws -> SignedNote {
    let directory = try journal.path().removingLastComponent().appending(CheckpointStore.directoryName)
    var kept: [(note: SignedNote, checkpoint: LogCheckpoint)] = []
    do throws(JournalError) {
      for one in try CheckpointStore(directory: directory).all() {
        guard let note = try? SignedNote(one.bytes), let checkpoint = try? LogCheckpoint(text: note.text) else {
          continue
        }
        kept.append((note, checkpoint))
      }
    } catch {
      throw CommandFailure(error)
    }
    guard let newest = kept.last else {
      throw CommandFailure(
        .noCheckpoint,
        "no checkpoint is kept in \(directory): set journal.origin and journal.checkpoint_key, or name one by --note")
    }
    let own = kept.filter { $0.checkpoint.origin == newest.checkpoint.origin }
    let reaching = own.filter { $0.checkpoint.head.size >= position }
    func weight(_ one: (note: SignedNote, checkpoint: LogCheckpoint)) -> (Int, UInt64) {
      (one.note.signatures.count, one.checkpoint.head.size)
    }
    return (reaching.max { weight($0) < weight($1) } ?? newest).note
  }
}

extension CommandFailure {
  init(_ obstacle: ProofObstacle) {
    let status: ExitStatus =
      switch obstacle {
      case .badNote: .foreignCheckpoint
      case .otherHistory: .historyDiffers
      case .beyondCheckpoint: .noCheckpoint
      case .noRecord: .failure
      case .erased: .erased
      case .tree(let error): ExitStatus(error)
      }
    self.init(status, "\(obstacle)")
  }
}
