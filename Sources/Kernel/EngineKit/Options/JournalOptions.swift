import Journal
package import OptionKit

/// Where the journal lies, and in what pieces; `HousekeepingSettings` says what becomes of it.
package struct JournalOptions: OptionTable {
  package static let keys = JournalOptions()

  package let partitions = OptionKey(
    "partitions", in: [.server], .integer(1...PartitionLayout.countMaximum), default: 1,
    "journals that the data is divided among; fixed when data_directory is made", takes: .restart)
  package let segmentSize = OptionKey(
    "journal.segment_size", in: [.server], .byteCount(4_194_304...1_073_741_824),
    default: JournalConfiguration().segmentByteCount, "size of a journal file", takes: .restart)
  package let archiveDirectory = OptionKey(
    "journal.archive_directory", in: [.server], .path,
    "where old journal files go; journal/archive below data_directory if absent", takes: .restart)

  package let checkpointKey = OptionKey(
    "journal.checkpoint_key", in: [.server], .path,
    "Ed25519 key, PEM, that signs the checkpoints that operators fetch; without it there are none", takes: .reload)

  package init() {}
}
