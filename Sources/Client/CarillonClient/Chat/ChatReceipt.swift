import JournalFormat
import Transparency

/// A proof that what the customer wrote stands in the server's journal: to be kept by the app, and checked without the
/// server, by anybody who says whom to trust. Spec: C2SP tlog-proof.
public struct ChatReceipt: Sendable, Equatable {
  /// The proof as a file, `.tlog-proof`.
  public let bytes: [UInt8]
  private let proof: LogProof

  /// What a receipt has shown.
  public struct Confirmation: Sendable, Equatable {
    /// A witness, as the policy calls it, and when it had seen the log, in seconds since 1970 by its own clock.
    public struct Witness: Sendable, Equatable {
      public let name: String
      public let unixSeconds: UInt64
    }

    /// The log that has the record.
    public let origin: String
    /// The record's number in the server's journal, from 1.
    public let record: UInt64
    public let witnesses: [Witness]
  }

  /// Why a receipt shows nothing.
  public enum Flaw: Error, Sendable, Equatable {
    /// No text of a proof.
    case malformed(String)
    /// The policy is none, and in which line.
    case policy(String)
    /// The proof does not hold, and why.
    case refused(String)
    /// It holds, and is of something else than was said.
    case otherText
  }

  /// Says nothing yet of whether it holds.
  ///
  /// - Parameter bytes: at most 1,663,168.
  public init(_ bytes: [UInt8]) throws(Flaw) {
    do throws(ProofRefusal) { proof = try LogProof(bytes) } catch { throw .malformed("\(error)") }
    self.bytes = bytes
  }

  /// Checks that the customer has said `text`, and that the log and the witnesses that the policy asks for have signed a
  /// history in which that stands.
  ///
  /// - Parameter policy: C2SP tlog-policy; got from whom the app trusts, and not from the server.
  public func check(policy: String, says text: String) throws(Flaw) -> Confirmation {
    let trusted: TrustPolicy
    do throws(PolicyFlaw) { trusted = try TrustPolicy(text: Array(policy.utf8)) } catch { throw .policy("\(error)") }
    let endorsement: Endorsement
    do throws(ProofRefusal) { endorsement = try proof.check(trusted) } catch { throw .refused("\(error)") }
    guard let said = said, said == text else { throw .otherText }
    return Confirmation(
      origin: endorsement.checkpoint.origin.description, record: proof.index + 1,
      witnesses: endorsement.cosigned.map { .init(name: $0.witness, unixSeconds: $0.unixSeconds) })
  }

  /// What the customer has said by the record; nil if it is no line of a customer.
  public var said: String? {
    guard let record = proof.record else { return nil }
    return record.body.withUnsafeBytes { body in
      guard let view = RecordView(body: body, position: proof.index + 1, frameTimeMilliseconds: 0),
        !view.isRedacted, view.kind == Line.kind, view.tag == Line.tag
      else { return nil }
      return Line(view.payload)?.text
    }
  }
}

extension ChatReceipt {
  /// The event of a line: fields as in Protocol Buffers, party 1 (0: the customer), type 2 (absent: a text), text 3.
  fileprivate struct Line {
    static let kind: UInt8 = 1
    static let tag: UInt16 = 3

    var text = ""

    /// Nil if it is not what a customer has said.
    init?(_ payload: UnsafeRawBufferPointer) {
      var rest = payload[...]
      var party: UInt64?
      while !rest.isEmpty {
        guard let key = Self.varint(&rest), let value = Self.varint(&rest) else { return nil }
        switch key {
        case 1 << 3: party = value
        case 3 << 3 | 2:
          guard let count = Int(exactly: value), count <= rest.count,
            let text = String(validating: rest.prefix(count), as: UTF8.self)
          else { return nil }
          self.text = text
          rest = rest.dropFirst(count)
        // A notice, or what later versions may know.
        default: return nil
        }
      }
      guard party == 0 else { return nil }
    }

    private static func varint(_ rest: inout Slice<UnsafeRawBufferPointer>) -> UInt64? {
      var value: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 63, by: 7) {
        guard let byte = rest.popFirst() else { return nil }
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return value }
      }
      return nil
    }
  }
}

extension CarillonChat {
  /// A proof that a message of one's own stands in the journal; the server gives some if its option `chat.receipts` is on.
  ///
  /// - Parameter position: of the message in the transcript.
  /// - Throws: `ClientError.refused` with status 404 if the server gives none, the customer has written nothing there, or
  ///   no checkpoint reaches it yet: then it is worth asking again.
  public func receipt(position: Int) async throws(ClientError) -> ChatReceipt {
    guard serviceID != nil else { throw .invalidState("the chat has not been started") }
    let response = try await pool.response(
      to: HTTPRequest(.get, path("/receipt") + "?position=\(position)", headers: configuration.headers),
      timeout: configuration.requestTimeout)
    guard response.status == 200 else {
      throw .refused(status: response.status, message: errorMessage(in: response.bodyBytes))
    }
    do throws(ChatReceipt.Flaw) { return try ChatReceipt(response.bodyBytes) } catch {
      throw .malformedResponse("\(error)")
    }
  }
}
