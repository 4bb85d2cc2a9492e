package import OptionKit

/// The journal as a log that strangers can check; its key is `journal.checkpoint_key`.
package struct LogOptions: OptionTable {
  package static let keys = LogOptions()

  package let origin = OptionKey(
    "journal.origin", in: [.server], .text,
    "what strangers know this journal by, a URL without its scheme; with journal.checkpoint_key its checkpoints are signed",
    takes: .reload)
  package let interval = OptionKey(
    "journal.checkpoint_interval", in: [.server], .seconds(0...86_400), default: .seconds(60),
    "between two checkpoints of journal.origin; 0: none are made", takes: .reload)
  package let witnesses = OptionKey(
    "journal.witnesses", in: [.server], .list, default: [],
    "who cosigns checkpoints: of each its verifier key, a space, its https URL", takes: .reload)
  package let quorum = OptionKey(
    "journal.witness_quorum", in: [.server], .integer(0...LogSettings.witnessesMaximum),
    "so many of journal.witnesses have to cosign before a checkpoint takes the place of the one before; more than half if "
      + "absent", takes: .reload)
  package let trustRootsFile = OptionKey(
    "journal.witness_ca_file", in: [.server], .path,
    "roots that the URLs of journal.witnesses are trusted by, PEM; the system's if absent", takes: .reload)
  package let readers = OptionKey(
    "journal.tlog_readers", in: [.server], .choice, default: LogReaders.nobody,
    "who may fetch checkpoints and tiles at /tlog", takes: .reload)

  package let receipts = OptionKey(
    "chat.receipts", in: [.server], .flag, default: false,
    "apps may fetch a proof of where a message of their own stands in the journal; needs journal.origin", takes: .reload
  )

  package init() {}
}

/// Who may fetch checkpoints and tiles.
package enum LogReaders: String, Sendable, CaseIterable {
  case nobody
  /// Operators.
  case token
  case anyone
}
