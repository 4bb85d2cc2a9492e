/// What every capability stands on shows operators.
struct NodeMetricKeys: MetricTable {
  static let keys = NodeMetricKeys()

  let awake = MetricKey("carillon.entities.awake", "Entities whose state is in memory.")
  let spillBytes = MetricKey(
    "carillon.entities.spill_bytes", "Size of the file that holds the states of sleeping entities, in bytes.")
  let position = MetricKey(
    "carillon.journal.position", "Position of the last record of the journal that is on the disk.")
  let sync = MetricKey(
    "carillon.journal.sync",
    "How long it took to write one batch of records and to have the disk confirm it, in seconds.",
    buckets: [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5])
  let roomLeft = MetricKey("carillon.journal.disk_free_bytes", "Room on the disk of the journal, in bytes.")
  let storageFull = MetricKey(
    "carillon.journal.storage_full", "1 while the disk has no room for the next segment and changes are refused.")
  let indexBehind = MetricKey(
    "carillon.journal.index_behind", "Full segments of the journal whose records are not all in the index yet.")
  let treeBehind = MetricKey(
    "carillon.journal.tree_behind", "Records on the disk that are not in the tree over the records yet.")
  let treeSize = MetricKey("carillon.journal.tree_size", "Records in the tree over the journal's records.")
  let treeSecondsBehind = MetricKey(
    "carillon.journal.tree_seconds_behind",
    "For how long the oldest record that the tree lacks has been on the disk, in seconds.")
  let treeFailures = MetricKey(
    "carillon.journal.tree_failures", "Times that the tree over the records could not grow or be stored.")
  let refusals = MetricKey(
    "carillon_security_refusals_total", "Requests and connections that were refused for safety, by reason.")
  let standbyHeld = MetricKey(
    "carillon.standby.held",
    "Replies and effects that are on this disk and wait until a standby has them too; with standby.wait only.")
  let standbyOverdue = MetricKey(
    "carillon.standby.overdue",
    "1 while changes are refused because no standby has what is on this disk; with standby.wait only.")
  let snapshotBytes = MetricKey("carillon.snapshot.bytes", "Size of the newest snapshot, in bytes.")
  let snapshotFailures = MetricKey("carillon.snapshot.failures", "Snapshots that could not be written.")
  let snapshotPosition = MetricKey("carillon.snapshot.position", "Position in the journal of the newest snapshot.")

  init() {}
}
