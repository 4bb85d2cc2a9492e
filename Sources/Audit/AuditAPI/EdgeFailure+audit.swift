package import AuditEngine
package import HTTPKit
import HTTPTypes

extension JournalAuditError: EdgeRefusal {
  package var failure: EdgeFailure {
    switch self {
    case .unavailable: .unavailable("The server is not ready")
    case .busy: .unavailable("The journal has as many readers as it may have")
    case .nothingFound:
      EdgeFailure(.notFound, "The journal has no record of what was asked for", exception: "NotFoundException")
    case .tooLong(let seconds):
      .unavailable("It takes longer than \(seconds) s: use the command `carillon journal` beside the server")
    case .severalPartitions(let count):
      .unavailable("The server has \(count) partitions: use the command `carillon journal` beside it")
    case .history(.unknownKind(let kind)): .badParameter("entity", "is of a kind that is not known: \(kind.label)")
    case .history(.unreadable(let position, _, _)):
      EdgeFailure(
        .internalServerError, "This version cannot read the record \(position)", exception: "UnreadableRecordException")
    }
  }
}

extension CheckpointObstacle: EdgeRefusal {
  package var failure: EdgeFailure {
    func conflict(_ reason: String) -> EdgeFailure {
      EdgeFailure(.conflict, reason, exception: "CheckpointException")
    }
    return switch self {
    case .noKey: conflict("The option 'journal.checkpoint_key' names no key")
    case .unusableKey: conflict("The file that 'journal.checkpoint_key' names is not there, or holds no Ed25519 key")
    case .notVerified: conflict("Nothing was verified since the server's start: begin a verification first")
    }
  }
}

extension LogObstacle: EdgeRefusal {
  package var failure: EdgeFailure {
    switch self {
    case .treeBehind: .unavailable("The tree over the records is still being made")
    case .disk, .tree: .unavailable("The checkpoint cannot be made or kept now; the log says why")
    case .unusableKey: CheckpointObstacle.unusableKey("").failure
    case .notConfigured, .empty, .shorter, .otherHistory:
      EdgeFailure(.conflict, "\(self)", exception: "CheckpointException")
    }
  }
}

extension LogReadFailure: EdgeRefusal {
  package var failure: EdgeFailure {
    switch self {
    case .noCheckpoint:
      EdgeFailure(.notFound, "No checkpoint was made yet", exception: "NotFoundException")
    case .beyondCheckpoint(let size):
      EdgeFailure(.notFound, "The published checkpoint has \(size) records", exception: "NotFoundException")
    case .gone:
      EdgeFailure(.notFound, "It was deleted with the beginning of the journal", exception: "NotFoundException")
    case .busy: .unavailable("The log has as many readers as it may have, or its tree is being made")
    }
  }
}
