import ArgumentParser
import EvidenceEdge
import Journal
import Transparency

extension ExitStatus {
  init(_ refusal: ProofRefusal) {
    self =
      switch refusal {
      case .tooLarge, .badLine, .badNote: .damagedData
      case .checkpoint(let refusal): ExitStatus(refusal)
      case .recordMissing: .recordMissing
      case .otherRecord: .otherRecord
      case .indexOutside: .indexOutside
      case .wrongHashCount: .hashCount
      case .notIncluded: .notIncluded
      }
  }

  init(_ refusal: EndorsementRefusal) {
    self =
      switch refusal {
      case .checkpoint: .damagedData
      case .note: .wrongSignature
      case .unknownLog: .foreignCheckpoint
      case .unsigned: .unknownKey
      case .quorumMissing: .quorumMissing
      }
  }

  init(_ finding: MonitorFinding) {
    self =
      switch finding {
      case .unreachable: .unavailable
      case .badNote: .damagedData
      case .refused(let refusal): ExitStatus(refusal)
      case .otherLog: .foreignCheckpoint
      case .fork, .inconsistent: .historyDiffers
      case .shrunk: .historyTruncated
      case .tileMissing: .tileMissing
      case .tileCut: .tileCut
      case .foreignTiles: .foreignTile
      case .stalled: .logStalled
      case .witnessClock: .witnessClock
      }
  }

  init(_ failure: KeepingFailure) {
    self =
      switch failure {
      case .absent: .missingInput
      case .foreign: .foreignData
      case .inUse: .dataDirectoryInUse
      case .damaged: .damagedData
      case .storage: .dataDirectory
      }
  }
}

extension CommandFailure {
  init(_ failure: KeepingFailure) { self.init(ExitStatus(failure), "\(failure)") }

  /// Whether `reporting` of an evidence command knows what to say of an error.
  static func isKnown(_ error: any Error) -> Bool {
    error is CommandFailure || error is KeepingFailure || error is StorageError
  }
}

extension AsyncParsableCommand {
  /// Runs `body` of a witness or a monitor; what it throws is printed and becomes the exit code.
  static func reporting(_ body: () async throws -> Void) async throws {
    let failure: CommandFailure
    do {
      return try await body()
    } catch let known as CommandFailure {
      failure = known
    } catch let known as KeepingFailure {
      failure = CommandFailure(known)
    } catch let error as StorageError {
      failure = CommandFailure(.dataDirectory, "what was seen cannot be kept: \(error)")
    }
    Console.remark("error: \(failure.text)")
    throw failure.status.exitCode
  }
}
