import Journal
import StandbyFollower
import StandbyWire
import SystemPackage
import Testing

@testable import carillon

/// Scripts and pages depend on both.
@Suite("What operators read of a standby that does not go on")
struct StandbyTextTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let end: FollowerEnd
    let status: Int32
    let text: String
    var testDescription: String { text }

    init(_ end: FollowerEnd, _ status: Int32, _ text: String) {
      (self.end, self.status, self.text) = (end, status, text)
    }
  }

  @Test("each reason has its text and its exit code", arguments: Self.rows)
  func ends(row: Row) {
    #expect("\(row.end)" == row.text)
    #expect(ExitStatus(row.end).rawValue == row.status)
    #expect(ExitStatus.standbyHelp.contains("\(row.status) "), "the help has it")
  }

  @Test(
    "the token goes over http to another machine only if it is said to",
    arguments: [
      ("http://127.0.0.1:8080", true), ("http://localhost:8080", true), ("http://[::1]:8080", true),
      ("https://a.example.com", true), ("http://a.example.com:8080", false), ("http://192.0.2.1", false),
      ("http://127.0.0.1.example.com", false),
    ])
  func insecure(url: String, isTaken: Bool) async throws {
    func open(isInsecure: Bool) async throws -> CommandFailure? {
      do {
        try await HTTPPrimary.open(url, trustRoots: nil, isInsecure: isInsecure) { "token" }.shutDown()
        return nil
      } catch let failure as CommandFailure {
        return failure
      }
    }
    let failure = try await open(isInsecure: false)
    #expect(failure?.status == (isTaken ? nil : .usage))
    #expect(failure?.text.contains("--insecure") == (isTaken ? nil : true))
    let forced = try await open(isInsecure: true)
    #expect(forced == nil)
  }

  private static let file: FilePath = "/data/journal/000000000002.segment"

  static let rows = [
    Row(
      .otherJournal, 112,
      "the directory holds another journal than the primary's: name another directory, or another primary"),
    Row(
      .nothingInCommon, 112,
      "the primary keeps no segment that the directory has, so that nothing shows that the two are one journal: if they are, --new-copy makes a new copy and sets the old one aside; if not, name another directory, or another primary"
    ),
    Row(
      .ahead(position: 70, primary: 60), 113,
      "the directory goes to position 70 and the primary to 60: it has lost its newest records, or was put back from a copy; promote the directory, or move it away and make a new one"
    ),
    Row(
      .formerPrimary(epoch: 1, known: 2), 114,
      "the primary writes in epoch 1, and the directory knows of epoch 2: another server has taken its place; stop it, and follow that one"
    ),
    Row(
      .formerPrimary(epoch: nil, known: 2), 114,
      "the primary is relieved, and the directory knows of epoch 2: another server has taken its place; stop it, and follow that one"
    ),
    Row(
      .isPrimary, 115,
      "the directory is a primary's: start it with `carillon serve`, or, if another server has taken its place, make it a standby's with `carillon journal rejoin`"
    ),
    Row(
      .parted, 87,
      "the directory and the primary hold two histories of one journal: find out which one is to go on; of the other, `carillon journal rejoin` sets aside what the two do not share"
    ),
    Row(
      .severalPartitions, 119,
      "the primary has several partitions, which no standby copies yet: follow one that was made with 1"),
    Row(
      .tokenRefused(status: 401), 77,
      "the primary does not take the token (401): make one there with `carillon token create`"),
    Row(
      .noPrimary(status: 404), 69,
      "what answers there is no primary (404): it is older than standbys, or another server"),
    Row(
      .unknownWire(.version(2)), 81,
      "the primary sends version 2 of the standby's wire, which this program does not speak"),
    Row(
      .damaged("a message with a wrong checksum"), 65,
      "what the primary sends is wrong again and again: a message with a wrong checksum; look at its journal with `carillon journal verify`"
    ),
    Row(.journal(.storageFull), 74, "the disk is full: make room, and start the standby again"),
    Row(
      .journal(.storage(StorageError(.ioError, .synchronize, file))), 74,
      "synchronize /data/journal/000000000002.segment: Input/output error"),
    Row(
      .journal(.storage(StorageError(.permissionDenied, .open, file))), 73,
      "open /data/journal/000000000002.segment: Permission denied"),
    Row(
      .journal(.locked(directory: "/data/journal")), 75,
      "/data/journal is in use by another process: stop that one first"),
    Row(
      .journal(.epochDamaged("/data/journal/EPOCH")), 65,
      "/data/journal/EPOCH is damaged, and nothing else says whether this journal may be written: if no other server has taken over, remove the file; otherwise make this directory anew"
    ),
  ]
}
