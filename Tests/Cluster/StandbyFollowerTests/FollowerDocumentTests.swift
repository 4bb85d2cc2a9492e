import StandbyWire
import Testing

@testable import StandbyFollower

@Suite("What a standby writes down")
struct FollowerDocumentTests {
  @Test("its status is read as it was written")
  func status() throws {
    var status = FollowerStatus(primary: "https://a.example.com")
    #expect(FollowerStatus(document: status.document) == status)
    for state in FollowerStatus.State.allCases {
      status.state = state
      (status.epoch, status.position, status.primaryPosition) = (3, 90, 100)
      (status.lagMilliseconds, status.atMilliseconds, status.problem) = (12, 1_770_000_000_000, "a “problem”")
      #expect(FollowerStatus(document: status.document) == status)
    }
    #expect(status.lagRecords == 10)
    #expect("\(status)" == "ended  position 90 of 100, 12 ms behind, epoch 3  a “problem”")
    for text in ["", "{}", "[1]", #"{"state":"asleep","primary":"x"}"#] {
      #expect(FollowerStatus(document: Array(text.utf8)) == nil)
    }
  }

  @Test("the versions of its files are read as they were written, whatever their names")
  func versions() throws {
    var files = FollowedFiles(name: try #require(StandbyName("sb-1")))
    files.versions = ["tokens.json": "1/2/3", "journal/000000000001.segment": "4"]
    #expect(FollowedFiles(document: files.document) == files)
    #expect(FollowedFiles(document: Array("{}".utf8)) == nil)
    #expect(FollowedFiles(document: Array(files.document.dropLast())) == nil)
  }

  @Test("a new copy takes the versions of the old one's journal with it, and leaves the others")
  func exchange() throws {
    var files = FollowedFiles(name: try #require(StandbyName("sb-1")))
    files.versions = ["tokens.json": "1", "journal/000000000001.segment": "2", "journal/redaction.intent": "3"]
    files.exchangeJournal(for: ["journal/000000000009.segment": "4"])
    #expect(files.versions == ["tokens.json": "1", "journal/000000000009.segment": "4"])
  }
}
