import CallbackDomain
import EventSourcing
import Testing

@Suite("Whose a callback is")
struct CallbackOwnershipTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let order: String
    let shown: String?
    let opens: Bool
    let obeys: Bool

    init(_ order: String, shows shown: String?, opens: Bool, obeys: Bool) {
      (self.order, self.shown, self.opens, self.obeys) = (order, shown, opens, obeys)
    }

    var testDescription: String { "\(order), \(shown ?? "nothing") is shown" }
  }

  private static let requests: [String: CallbackRequest] = {
    let owned = CallbackRequest(serviceName: "sales", userKey: "ann")
    var issued = owned
    issued.issuedKey = "issued"
    var open = CallbackRequest(serviceName: "sales", userKey: "made")
    open.isUserKeyMade = true
    return [
      "with a user": owned, "with a key": issued, "without a user": open,
      "erased": .init(serviceName: "sales", userKey: ""),
    ]
  }()

  private static let rows = [
    Row("with a user", shows: "ann", opens: true, obeys: true),
    Row("with a user", shows: nil, opens: false, obeys: true),
    Row("with a user", shows: "ben", opens: false, obeys: false),
    Row("with a user", shows: "", opens: false, obeys: false),
    Row("with a key", shows: "ann", opens: true, obeys: true),
    Row("with a key", shows: "issued", opens: false, obeys: true),
    Row("with a key", shows: nil, opens: false, obeys: true),
    Row("with a key", shows: "ben", opens: false, obeys: false),
    Row("without a user", shows: nil, opens: true, obeys: true),
    Row("without a user", shows: "made", opens: true, obeys: true),
    Row("without a user", shows: "ben", opens: true, obeys: true),
    Row("erased", shows: nil, opens: false, obeys: true), Row("erased", shows: "", opens: false, obeys: false),
    Row("erased", shows: "ann", opens: false, obeys: false),
  ]

  @Test(
    "its record opens to its user alone; its actions to whoever has the id and shows nobody else's key", arguments: rows
  )
  func callers(row: Row) throws {
    let request = try #require(Self.requests[row.order])
    #expect(request.opens(to: row.shown) == row.opens)
    #expect(request.obeys(row.shown) == row.obeys)
  }

  @Test("one key is made for it, and stays; none where its user's key was made for it anyway")
  func issuing() throws {
    var rig = try CallbackRig.given()
    #expect(rig.callback.request?.chatKey == nil)
    #expect(try rig.when(.issueKey("first"), at: 1) == .init([.keyIssued("first")], [.keyIssued("first")]))
    #expect(try rig.when(.issueKey("second"), at: 2) == .init())
    #expect(rig.callback.request?.chatKey == "first" && rig.callback.request?.user == "user-7")
    #expect(try Callback(stateBytes: rig.callback.stateBytes).request?.issuedKey == "first")

    var request = CallbackRig.request()
    request.isUserKeyMade = true
    var open = try CallbackRig.given(request)
    #expect(try open.when(.issueKey("first"), at: 1) == .init())
    #expect(open.callback.request?.chatKey == "user-7" && open.callback.request?.user == nil)
  }

  @Test("erasure takes the keys along")
  func erased() throws {
    var rig = try CallbackRig.given()
    try rig.when(.issueKey("first"), at: 1)
    try rig.when(.erase, at: 2)
    #expect(rig.callback.request?.chatKey == nil && rig.callback.request?.user == nil)
  }
}
