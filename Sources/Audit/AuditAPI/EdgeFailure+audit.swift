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
