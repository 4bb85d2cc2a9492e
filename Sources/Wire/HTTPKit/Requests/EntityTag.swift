import Crypto
import Hummingbird
import TextEncoding

/// Answers that a client that has them already does not get again. Spec: RFC 9110, 8.8.3, 13.1.2.
package enum EntityTag {
  package static func of(digest: some Sequence<UInt8>) -> String { "\"\(Hexadecimal.encode(digest))\"" }

  /// Of what the answer says: strong, and changed by whatever shows in it and by nothing else.
  package static func of(_ body: [UInt8]) -> String { of(digest: SHA256.hash(data: body).prefix(16)) }

  /// Whether `If-None-Match` names the tag: a weak one matches too.
  package static func names(_ tag: String, _ header: String) -> Bool {
    header.split(separator: ",").contains { part in
      let text = part.drop { $0 == " " }
      return text == "*" || text == tag[...] || text == "W/" + tag
    }
  }
}

extension PathText {
  /// `Content-Disposition` of a file that no browser is to show.
  package static func attachment(_ name: String?) -> String { disposition(name, isShown: false) }

  /// `Content-Disposition` of a file. Spec: RFC 6266.
  /// - Parameter isShown: browsers may show it; else they save it.
  package static func disposition(_ name: String?, isShown: Bool) -> String {
    let type = isShown ? "inline" : "attachment"
    guard let name, !name.isEmpty else { return type }
    return "\(type); filename*=UTF-8''\(encode(name))"
  }
}
