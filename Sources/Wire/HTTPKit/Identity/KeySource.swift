import EventSourcing
import OptionKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where the keys of a policy are, and how each place is read.
package struct KeySource: Sendable {
  package let policy: TokenPolicy

  /// What the operator has put there: the secret, the files, the revocations.
  /// - Throws: what cannot be used, by the option that names it.
  package func own() async throws(KeyReader.Problem) -> (keys: [VerificationKey], revocations: RevocationList) {
    var keys: [KeyReader.Key] = []
    if let secret = policy.secret {
      keys.append(
        try Self.named(TokenOptions.keys.secret.name) { () throws(KeyReader.Problem) in try KeyReader.secret(secret) })
    }
    for file in policy.keyFiles {
      keys += try Self.named("\(TokenOptions.keys.keyFiles.name), \(file)") { () throws(KeyReader.Problem) in
        try KeyReader.keys(pem: String(decoding: try Self.read(file), as: UTF8.self))
      }
    }
    if let file = policy.keySetFile {
      keys += try Self.named("\(TokenOptions.keys.keySetFile.name), \(file)") { () throws(KeyReader.Problem) in
        try KeyReader.keys(set: try Self.read(file), takesSecrets: true)
      }
    }
    var revocations = RevocationList()
    if let file = policy.revocationsFile {
      revocations = try Self.named("\(TokenOptions.keys.revocationsFile.name), \(file)") {
        () throws(KeyReader.Problem) in
        let text = try Self.read(file, bytesMaximum: EdgeLimits.revocationsBytesMaximum)
        return try RevocationList(parsing: String(decoding: text, as: UTF8.self))
      }
    }
    return (try await Self.prepared(keys), revocations)
  }

  /// What the URL gives; nil without one.
  package func fetched() async throws(KeyReader.Problem) -> (keys: [VerificationKey], date: String?)? {
    guard let url = policy.keySetURL else { return nil }
    do {
      let answer = try await KeySetFetcher(url: url, trustRootsFile: policy.trustRootsFile).fetch()
      return (try await Self.prepared(try KeyReader.keys(set: answer.body, takesSecrets: false)), answer.date)
    } catch {
      throw KeyReader.Problem("\(TokenOptions.keys.keySetURL.name): \(error)")
    }
  }

  package static func prepared(_ keys: [KeyReader.Key]) async throws(KeyReader.Problem) -> [VerificationKey] {
    var prepared: [VerificationKey] = []
    for key in keys {
      guard let key = await VerificationKey(id: key.id, key.material) else {
        throw KeyReader.Problem("a key cannot be used")
      }
      prepared.append(key)
    }
    return prepared
  }

  private static func named<Value>(
    _ option: String, _ read: () throws(KeyReader.Problem) -> Value
  ) throws(KeyReader.Problem) -> Value {
    do { return try read() } catch { throw KeyReader.Problem("\(option): \(error)") }
  }

  /// The bytes of a file of keys, or of a secret.
  package static func read(
    _ path: String, bytesMaximum: Int = EdgeLimits.keySetBytesMaximum
  ) throws(KeyReader.Problem) -> [UInt8] {
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
      throw KeyReader.Problem("the file cannot be read")
    }
    guard data.count <= bytesMaximum else { throw KeyReader.Problem("the file is too long") }
    return Array(data)
  }
}
