import HTTPKit
import JSONEnvelope

/// What a message of an agent asks for: `{"id":"7","do":"send","chat":"…","text":"Hello"}`.
struct AgentSocketRequest: Sendable, Equatable {
  /// Why a message is none.
  struct Flaw: Error, Equatable {
    /// Nil if none could be read.
    var id: String?
    let failure: EdgeFailure
  }

  /// The client's; comes back in the answer.
  let id: String
  /// What is to be done.
  let word: String
  /// Where; empty for what is done in no chat.
  let chat: String
  /// All members.
  let body: JSONBody

  init(_ text: [UInt8], idBytesMaximum: Int) throws(Flaw) {
    do throws(EdgeFailure) {
      body = try JSONBody(text)
      id = try Self.id(body, idBytesMaximum)
    } catch {
      throw Flaw(failure: error)
    }
    do throws(EdgeFailure) {
      word = try body.text("do")
      chat = try body.optionalText("chat") ?? ""
    } catch {
      throw Flaw(id: id, failure: error)
    }
  }

  private static func id(_ body: JSONBody, _ bytesMaximum: Int) throws(EdgeFailure) -> String {
    let id = try body.text("id")
    guard id.utf8.count <= bytesMaximum else { throw .badParameter("id", "is longer than \(bytesMaximum) bytes") }
    return id
  }

  /// The same for two that say the same, in whatever order.
  var fingerprint: Int {
    var hasher = Hasher()
    for member in body.members.members.sorted(by: { $0.name < $1.name }) {
      hasher.combine(member.name)
      hasher.combine(member.value.text)
    }
    return hasher.finalize()
  }
}
