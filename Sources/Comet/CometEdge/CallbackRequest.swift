import Bayeux
import HTTPKit

/// A poll of a page that may do nothing but load scripts: all of it stands in the query, and the answer is a script
/// that calls a function of the page's with the messages. Spec: Bayeux 1.0, "The callback-polling Transport"; Bayeux
/// reference, 14.2.
struct CallbackRequest {
  /// The function that is called.
  let callback: String
  let messages: [BayeuxMessage]

  private static let messageName = "message"
  private static let callbackName = "jsonp"
  private static let callbackDefault = "jsonpcallback"
  static let callbackBytesMaximum = 64

  /// Whether a GET of this target is one.
  static func isOne(_ target: String) -> Bool {
    pairs(of: target).contains { $0.prefix { $0 != "=" } == messageName }
  }

  /// - Throws: what whoever asks so is told: 400. Of what browsers and libraries add to a query nothing is looked at.
  init(_ target: String) throws(EdgeFailure) {
    var callback: String?
    var messages: [BayeuxMessage] = []
    for pair in Self.pairs(of: target) {
      let equals = pair.firstIndex(of: "=") ?? pair.endIndex
      let name = String(pair[..<equals])
      guard !EdgeFailure.secretParameters.contains(name.lowercased()) else { throw .tokenInURL(name.lowercased()) }
      guard name == Self.messageName || name == Self.callbackName else { continue }
      guard let value = RequestParameters.decodeText(pair[equals...].dropFirst().utf8) else {
        throw .badParameter(name, "is not well-formed")
      }
      if name == Self.messageName {
        messages += try Self.messages(value)
      } else {
        guard callback == nil else { throw .badParameter(name, "is given twice") }
        callback = value
      }
    }
    guard messages.allSatisfy({ $0.userToken == nil }) else { throw .tokenInURL("gms_token") }
    self.callback = callback ?? Self.callbackDefault
    self.messages = messages
    guard Self.isName(self.callback) else {
      throw .badParameter(
        Self.callbackName,
        "is not the name of a function: 1 to \(Self.callbackBytesMaximum) letters, digits and '_', '$', '.'")
    }
  }

  private static func pairs(of target: String) -> [Substring] {
    guard let mark = target.firstIndex(of: "?") else { return [] }
    return target[target.index(after: mark)...].split(separator: "&")
  }

  private static func messages(_ text: String) throws(EdgeFailure) -> [BayeuxMessage] {
    do throws(BayeuxDecodingError) { return try BayeuxDecoder.decode(Array(text.utf8)) } catch {
      throw .badParameter(messageName, "is not a Bayeux request: \(error.description)")
    }
  }

  /// What else stood there would run in the page, or in whatever takes the answer for something else.
  private static func isName(_ text: String) -> Bool {
    (1...callbackBytesMaximum).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}
