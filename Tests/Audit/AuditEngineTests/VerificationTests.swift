import EventSourcing
import Journal
import Testing

@testable import AuditEngine

@Suite("A verification beside the server")
struct VerificationTests {
  private static func begun(_ name: String) -> Verification {
    Verification(by: name, begunAt: .epoch, segments: 3)
  }

  @Test("one runs at a time, and the next one begins with nothing of the last")
  func oneAtATime() {
    let board = VerificationBoard()
    #expect(board.current == nil)
    #expect(board.begin(Self.begun("anna")))
    #expect(!board.begin(Self.begun("bert")))
    #expect(board.current?.by == "anna")
    board.update { verification in
      verification.outcome = .damaged("here")
      verification.report.segments = 2
    }
    #expect(board.current?.outcome == .damaged("here"))
    #expect(board.begin(Self.begun("bert")))
    #expect(board.current?.by == "bert" && board.current?.report.segments == 0)
  }
}
