import GCMProtocol
import Testing

@Suite("Requests about device groups")
struct GroupRequestTests {
  private func read(_ text: String) throws -> GroupRequest { try GroupRequest(json: Array(text.utf8)) }

  @Test("each operation")
  func operations() throws {
    #expect(
      try read(#"{"operation":"create","notification_key_name":"home","registration_ids":["a","b"]}"#)
        == .create(name: "home", tokens: ["a", "b"]))
    #expect(
      try read(#"{"operation":"add","notification_key_name":"home","notification_key":"k","registration_ids":["a"]}"#)
        == .add(key: "k", name: "home", tokens: ["a"]))
    #expect(
      try read(#"{"operation":"remove","notification_key":"k","registration_ids":["a"],"extra":1}"#)
        == .remove(key: "k", name: nil, tokens: ["a"]))
  }

  @Test("an empty name is none, and so is null")
  func empty() throws {
    for name in [#""""#, "null"] {
      #expect(
        try read(
          #"{"operation":"add","notification_key_name":\#(name),"notification_key":"k","registration_ids":["a"]}"#)
          == .add(key: "k", name: nil, tokens: ["a"]))
    }
  }

  @Test(
    "what is refused",
    arguments: [
      "", "{", "[]", "{}", #"{"operation":"create","notification_key_name":"h"}"#,
      #"{"operation":"create","registration_ids":["a"]}"#, #"{"operation":"add","registration_ids":["a"]}"#,
      #"{"operation":"remove","notification_key":"","registration_ids":["a"]}"#,
      #"{"operation":"invent","notification_key":"k","registration_ids":["a"]}"#,
      #"{"notification_key":"k","registration_ids":["a"]}"#,
      #"{"operation":5,"notification_key":"k","registration_ids":["a"]}"#,
      #"{"operation":"add","notification_key":5,"registration_ids":["a"]}"#,
      #"{"operation":"add","notification_key":"k","registration_ids":"a"}"#,
      #"{"operation":"add","notification_key":"k","registration_ids":[5]}"#,
      #"{"operation":"create","notification_key_name":"\#(String(repeating: "n", count: 257))","registration_ids":["a"]}"#,
    ])
  func refused(text: String) {
    #expect(throws: DownstreamRefusal.self) { try read(text) }
  }

  @Test("nobody named", arguments: ["[]", "null"])
  func nobody(tokens: String) {
    let text = #"{"operation":"create","notification_key_name":"h","registration_ids":\#(tokens)}"#
    #expect { try read(text) } throws: { ($0 as? DownstreamRefusal)?.text == "no valid registration ids" }
  }

  @Test("the answers")
  func answers() {
    #expect(GroupAnswer.key("APA91bK") == Array(#"{"notification_key":"APA91bK"}"#.utf8))
    #expect(GroupAnswer.error(GroupAnswer.exists) == Array(#"{"error":"notification_key already exists"}"#.utf8))
  }
}
