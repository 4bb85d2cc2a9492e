import JSONEnvelope

/// What the JSON of one stanza of an app server says. Spec: GCM C4-C11.
public enum CCSRequest: Sendable, Equatable {
  /// To be sent, and answered with a `CCSAnswer`.
  case message(CCSAddress, DownstreamRequest)
  /// The app server has this message of a device, or this receipt. It is not answered.
  case ack(messageID: String)
  /// Not usable; the answer says why.
  case refused(CCSAnswer)
  /// Not usable, and without a `message_id` to say so by: a stanza error, `InvalidJson: ` and this. Spec: GCM C7.
  case unidentified(description: String)

  /// Total: whatever the bytes are, it is one of the four.
  public static func parse(_ bytes: [UInt8]) -> CCSRequest {
    do throws(DownstreamRefusal) {
      return try bytes.withUnsafeBytes { buffer in
        Result { () throws(DownstreamRefusal) in read(try RequestFields(parsing: buffer)) }
      }.get()
    } catch {
      return .unidentified(description: error.text)
    }
  }

  private static func read(_ fields: RequestFields) -> CCSRequest {
    let messageID: String
    do throws(DownstreamRefusal) {
      guard
        let id = try fields.string("message_id", limit: DownstreamLimits.messageIDBytesMaximum), !id.isEmpty
      else { throw DownstreamRefusal(nil, "JSON_PARSING_ERROR : Missing Required Field: message_id") }
      messageID = id
    } catch {
      return .unidentified(description: error.text)
    }
    let named = fields.value("to")?.string ?? fields.value("condition")?.string ?? ""
    let address = CCSAddress(messageID: messageID, to: String(named.prefix(DownstreamLimits.recipientBytesMaximum)))
    switch fields.value("message_type")?.string {
    case nil:
      do throws(DownstreamRefusal) {
        return .message(address, try downstream(fields, messageID: messageID))
      } catch {
        return .refused(CCSAnswer(address, refusal: error))
      }
    case "ack":
      guard !named.isEmpty else {
        return .refused(.nack(address, .badAcknowledgement, "Missing Required Field: to"))
      }
      return .ack(messageID: messageID)
    case "nack": return .refused(.nack(address, .badAcknowledgement, "A message of a device cannot be refused"))
    case .some: return .refused(.nack(address, .invalidJSON, "Unknown \"message_type\""))
    }
  }

  private static func downstream(
    _ fields: RequestFields, messageID: String
  ) throws(DownstreamRefusal) -> DownstreamRequest {
    guard fields.value("registration_ids") == nil else {
      throw DownstreamRefusal(.invalidParameters, "\"registration_ids\" cannot be used here: use \"to\"")
    }
    if let type = fields.value("message_type") { throw .wrongType("message_type", "string", type.excerpt) }
    guard let target = try DownstreamRequest.singleTarget(fields) else {
      throw DownstreamRefusal(.missingRegistration, "Missing Required Field: to")
    }
    var request = try DownstreamRequest(fields, target: target)
    request.messageID = messageID
    return request
  }
}

/// What an answer repeats of the message that it is about.
public struct CCSAddress: Sendable, Equatable {
  public let messageID: String
  /// As the app server put it: a token, a topic, a notification key or a condition.
  public let to: String

  public init(messageID: String, to: String) {
    self.messageID = messageID
    self.to = to
  }
}
