import EntityRuntime
import EventSourcing
import Foundation
import Journal
import JournalFormat
import SystemPackage
import Testing
import Transparency

@testable import carillon

/// What operators read when something is wrong, letter for letter, with the exit code: scripts and pages depend on both.
@Suite("What operators read")
struct OperatorTextTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let error: any Error & Sendable
    let status: Int32
    let text: String
    var testDescription: String { text }

    init(_ error: any Error & Sendable, _ status: Int32, _ text: String) {
      (self.error, self.status, self.text) = (error, status, text)
    }
  }

  @Test(
    "each thing that stops the start has its text and its exit code",
    arguments: Self.journal + Self.snapshots + Self.records)
  func starts(row: Row) {
    let failure = ServeFailure(row.error)
    #expect(failure.description == row.text)
    #expect(failure.status.rawValue == row.status)
  }

  @Test("a checkpoint that does not hold has its text and its exit code", arguments: Self.checkpoints)
  func checkpoint(row: Row) throws {
    let failure = CommandFailure(try #require(row.error as? CheckpointError), file: "head.txt")
    #expect(failure.text == row.text)
    #expect(failure.status.rawValue == row.status)
  }

  @Test("a tree that does not hold has its text and its exit code", arguments: Self.trees)
  func tree(row: Row) throws {
    let failure = CommandFailure(try #require(row.error as? TreeError))
    #expect(failure.text == row.text)
    #expect(failure.status.rawValue == row.status)
  }

  @Test("journals that cannot be joined have their texts and exit codes", arguments: Self.others)
  func rejoining(row: Row) throws {
    let failure = CommandFailure(try #require(row.error as? RejoinError))
    #expect(failure.text == row.text)
    #expect(failure.status.rawValue == row.status)
  }

  private static let others = [
    Row(
      RejoinError.otherJournal(directory: "/data/journal"), 112,
      "/data/journal has no segment in common with the other journal: it is not a copy of that one, or what they had in common was deleted; begin with an empty directory"
    ),
    Row(
      RejoinError.notLater(directory: "/data/journal", epoch: 3, other: 2), 114,
      "/data/journal is of epoch 3, and the other journal of epoch 2: that one has not taken this one's place"),
    Row(
      RejoinError.sameEpoch(directory: "/data/journal", epoch: 3), 114,
      "/data/journal and the other journal were both promoted, and both have written in epoch 3: promote the one that is to stay once more with `carillon promote`, then rejoin with the other one"
    ),
    Row(
      RejoinError.journal(.followsAnother(directory: "/data/journal")), 111,
      "/data/journal is a standby's: follow its primary with `carillon standby`, or take over with `carillon promote /data`"
    ),
  ]

  private static let file: FilePath = "/data/journal/000000000002.segment"
  private static let snapshot: FilePath = "/data/journal/snapshots/300.snapshot"
  private static let chat = EntityID(.chatSession, "7")

  static let journal = [
    Row(JournalError.keyTooLong, 70, "the entity key is longer than 1024 bytes"),
    Row(JournalError.tooLarge(limit: 9), 70, "the records take more than 9 bytes"),
    Row(JournalError.overloaded, 70, "too much waits for the disk"),
    Row(JournalError.storageFull, 73, "the disk is full: make room, the journal goes on by itself"),
    Row(JournalError.failed, 74, "a write to the journal failed"),
    Row(JournalError.closed, 70, "the journal is closed"),
    Row(JournalError.configuration("the segment size"), 78, "the segment size"),
    Row(
      JournalError.locked(directory: "/data/journal"), 75,
      "/data/journal is in use by another process: stop that one first"),
    Row(
      JournalError.damaged(file: file, offset: 4_096, reason: .frameDamaged), 65,
      "/data/journal/000000000002.segment is damaged at offset 4096 (a frame is damaged): look at it with `carillon journal verify /data/journal`, restore it from a copy"
    ),
    Row(
      JournalError.halfCopied(file: file, byteCount: 100), 82,
      "/data/journal/000000000002.segment was not copied to its end, it stops after 100 bytes: copy it again, then check with `carillon journal verify /data/journal`"
    ),
    Row(
      JournalError.cutShort(file: file, byteCount: 100, whole: 4_096), 92,
      "/data/journal/000000000002.segment ends after 100 bytes of 4096: its end was cut off, and acknowledged records may be gone with it; put it back from a copy, or end the journal there with `carillon journal repair --truncate /data/journal`"
    ),
    Row(
      JournalError.foreignFile(file), 80,
      "/data/journal/000000000002.segment is not a journal segment: move it out of the directory"),
    Row(
      JournalError.newerVersion(file: file, version: 2), 81,
      "/data/journal/000000000002.segment has journal format 2, which this program does not know: start the newer one"),
    Row(
      JournalError.missingSegment(file), 66,
      "/data/journal/000000000002.segment is missing, here and in the archive: put it back from a copy, then check with `carillon journal verify /data/journal`; if retention deleted it, only a snapshot leads past it"
    ),
    Row(
      JournalError.brokenSequence(file), 83,
      "/data/journal/000000000002.segment does not continue the segment before it: files of two journals are mixed, see `carillon journal verify /data/journal`"
    ),
    Row(
      JournalError.historyChanged(file), 87,
      "history was changed: /data/journal/000000000002.segment has the chain hash of another end of the segment before it; keep both, and compare with a copy"
    ),
    Row(
      JournalError.epochFell(file: file, from: 3, to: 2), 83,
      "/data/journal/000000000002.segment was written in epoch 3, and epoch 2 is to follow: a writer that was relieved may not go on; find out which one is to write"
    ),
    Row(
      JournalError.relieved(directory: "/data/journal", epoch: 2, by: 3), 110,
      "/data/journal was written in epoch 2, and another server has taken over in epoch 3: this one may not go on; make it that one's standby with `carillon journal rejoin /data --from URL`"
    ),
    Row(
      JournalError.followsAnother(directory: "/data/journal"), 111,
      "/data/journal is a standby's: follow its primary with `carillon standby`, or take over with `carillon promote /data`"
    ),
    Row(
      JournalError.notRestored(directory: "/data/journal"), 82,
      "/data/journal is a backup, or was not restored to the end: empty /data and restore it with `carillon restore`"
    ),
    Row(
      JournalError.epochDamaged("/data/journal/EPOCH"), 65,
      "/data/journal/EPOCH is damaged, and nothing else says whether this journal may be written: if no other server has taken over, remove the file; otherwise make this directory anew"
    ),
    Row(
      JournalError.foreignStartingPoint(file: file), 90,
      "/data/journal/000000000002.segment does not hold the point that the snapshot was taken at: it belongs to another journal, or to a copy that went its own way; see `carillon journal verify /data/journal`, then move the snapshot away or put the right journal back"
    ),
    Row(
      JournalError.startingPointBeyondEnd(directory: "/data/journal", point: 300, end: 200), 88,
      "/data/journal ends at position 200, the snapshot was taken at 300: the newest segments are gone; put them back from a copy, or move the snapshot away to go on with what is left"
    ),
    Row(
      JournalError.segmentInUse(file), 75,
      "/data/journal/000000000002.segment is still being written: let the journal begin a new segment first"),
    Row(
      JournalError.redactionIntentDamaged("/data/journal/redaction"), 91,
      "/data/journal/redaction is damaged, an erasure was begun and may not be complete: remove the file, then erase once more"
    ),
    Row(
      JournalError.storage(StorageError(.permissionDenied, .open, file)), 73,
      "open /data/journal/000000000002.segment: Permission denied"),
    Row(
      JournalError.storage(StorageError(.noSuchFileOrDirectory, .list, "/nowhere")), 66,
      "list /nowhere: No such file or directory"),
  ]

  static let snapshots = [
    Row(
      SnapshotError.foreignFile(snapshot), 80,
      "/data/journal/snapshots/300.snapshot is not a snapshot: move it out of the directory"),
    Row(
      SnapshotError.newerVersion(file: snapshot, version: 2), 81,
      "/data/journal/snapshots/300.snapshot has snapshot format 2, which this program does not know: start the newer one, or move it away to start from an older snapshot or from the whole journal"
    ),
    Row(
      SnapshotError.incomplete(file: snapshot, byteCount: 9), 82,
      "/data/journal/snapshots/300.snapshot ends at byte 9, before its footer: it was copied half; copy it again or remove it, nothing is lost with it while the journal is whole"
    ),
    Row(
      SnapshotError.damaged(file: snapshot, offset: 9), 65,
      "/data/journal/snapshots/300.snapshot is damaged at offset 9: remove it or put a copy in its place, nothing is lost with it while the journal is whole"
    ),
    Row(
      SnapshotError.renamed(file: snapshot, position: 200), 65,
      "/data/journal/snapshots/300.snapshot was taken at position 200: give it back the name of that position, or move it away"
    ),
    Row(
      SnapshotError.foreignJournal(snapshot), 90,
      "/data/journal/snapshots/300.snapshot belongs to another journal: move it away, or put the right journal back"),
    Row(
      SnapshotError.historyDiffers(snapshot, position: 300), 87,
      "history was changed: up to position 300 the journal is not the one that /data/journal/snapshots/300.snapshot was taken of; keep both, and compare with a copy"
    ),
    Row(
      SnapshotError.journalShorter(file: snapshot, position: 300, end: 200), 88,
      "/data/journal/snapshots/300.snapshot was taken at position 300, the journal ends at 200: its newest segments are gone; put them back from a copy, or move the snapshot away to go on with what is left"
    ),
    Row(
      SnapshotError.storage(StorageError(.ioError, .read, snapshot)), 73,
      "read /data/journal/snapshots/300.snapshot: Input/output error"),
  ]

  static let records = [
    Row(
      ReplayError.undecodable(position: 9, entity: chat, tag: 60_000, reason: .truncated), 65,
      "record 9 of chat:7 (event tag 60000) cannot be read: truncated"),
    Row(
      ReplayError.sequenceGap(position: 9, entity: chat, expected: 2, found: 3), 65,
      "record 9 of chat:7 has sequence number 3 where 2 was due"),
    Row(
      ReplayError.unknownKind(position: 9, kind: 200), 65,
      "record 9 is of entity kind 200, which this version does not know"),
    Row(
      ReplayError.unreadableNote(entity: chat, reason: .truncated), 65,
      "what the newest snapshot notes of chat:7 cannot be read: truncated"),
  ]

  static let checkpoints = [
    Row(
      CheckpointError.notACheckpoint(line: 2), 86,
      "head.txt is not a checkpoint: line 2 is not what it must be; name the right file"),
    Row(
      CheckpointError.newerCheckpoint(version: 2), 81,
      "head.txt is a checkpoint of format 2, which this program does not know: use the newer one"),
    Row(
      CheckpointError.wrongSignature, 84,
      "head.txt is the signature is wrong: the file was changed after it was signed; take another copy of it, and ask who changed this one"
    ),
    Row(
      CheckpointError.unknownKey("abc"), 85,
      "head.txt is signed by another key than the one given (abc): find out whose it is before you trust it"),
    Row(
      CheckpointError.otherJournal, 86,
      "head.txt is a checkpoint of another journal: name the directory that it was taken of"),
    Row(
      CheckpointError.historyDiffers(position: 300), 87,
      "head.txt is history was changed: up to position 300 the journal is not the one that was signed; keep both, and compare with a copy"
    ),
    Row(
      CheckpointError.journalIsShorter(end: 200, checkpoint: 300), 88,
      "head.txt is the journal ends at position 200, the checkpoint was made at 300: the newest records are gone; put the missing segments back from a copy"
    ),
    Row(
      CheckpointError.historyDeleted(oldest: 400, checkpoint: 300), 89,
      "head.txt is the journal begins at position 400, the checkpoint was made at 300: what it proves was deleted; name the archive, or take a newer checkpoint"
    ),
  ]

  private static let rows: FilePath = "/data/journal/tree/0.hashes"
  private static let state: FilePath = "/data/journal/tree/STATE"
  private static let tile = TileAddress(.hashes(level: 0), index: 3, width: 7)
  private static let anew = "remove the directory `tree`, a running server makes it anew"

  static let trees =
    [
      Row(
        TreeError.lost(oldest: 300), 104,
        "the tree over the records is lost, and records 1 to 299 too: put its directory, the snapshots' edges or the old segments back from a copy; without them nothing more can be proven"
      ),
      Row(
        TreeError.notMade, 107,
        "the tree over the records is not made yet: a running server makes it in the background"),
      Row(TreeError.beyondEnd(size: 9), 107, "the tree has 9 records so far"),
      Row(
        TreeError.beforeBeginning(size: 9), 89,
        "the hashes of records 1 to 9 are lost, but for what they come to as a whole"),
      Row(TreeError.doubtful, 106, "the tree over the records is not to be believed: the server makes it anew"),
      Row(TreeError.stateDamaged(state), 106, "/data/journal/tree/STATE is damaged: \(anew)"),
      Row(
        TreeError.newerVersion(file: state, version: 2), 81,
        "/data/journal/tree/STATE has tree format 2, which this program does not know: use the newer one"),
      Row(
        TreeError.otherJournal(state, size: 9), 105,
        "/data/journal/tree/STATE is of another journal or of another history: the records up to 9 are not those of its root; find out who put it there; \(anew)"
      ),
      Row(
        TreeError.rootDiffers(state, size: 9), 106,
        "/data/journal/tree/STATE has another root than its hashes up to 9 come to: \(anew)"),
      Row(TreeError.journal(.missingSegment(file)), 66, "\(JournalError.missingSegment(file))"),
    ]
    + (tile.map { tile in
      [
        Row(
          TreeError.cutTile(rows, tile, byteCount: 100), 106,
          "/data/journal/tree/0.hashes ends after 100 bytes, inside tile/0/003.p/7 or before it: it was cut; \(anew)"),
        Row(
          TreeError.otherLog(rows, tile, position: 769), 105,
          "tile/0/003.p/7 in /data/journal/tree/0.hashes is of another log, from position 769 on: find out who put it there; \(anew)"
        ),
        Row(
          TreeError.hashDiffers(rows, tile, position: 769), 106,
          "tile/0/003.p/7 in /data/journal/tree/0.hashes has another hash than the record at position 769 asks for: \(anew)"
        ),
      ]
    } ?? [])
}
