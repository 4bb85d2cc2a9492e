import EvidenceEdge
import SystemPackage
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
}
