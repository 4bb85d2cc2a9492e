import SwiftProtobuf

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The two stanzas that only acknowledge. Spec: GCM D7, D8.2, D8.3.
extension MCSIqStanza {
  private static let selectiveAckID: Int32 = 12
  private static let streamAckID: Int32 = 13

  /// Says nothing but its `last_stream_id_received`.
  public static var streamAck: MCSIqStanza { acknowledgement(streamAckID, Data()) }

  /// Names the messages that have come.
  public static func selectiveAck(_ ids: [String]) -> MCSIqStanza {
    let ack = MCSSelectiveAck.with { $0.id = ids }
    // It has no required fields, so there is nothing that could be missing.
    return acknowledgement(selectiveAckID, (try? ack.serializedBytes()) ?? Data())
  }

  private static func acknowledgement(_ id: Int32, _ data: Data) -> MCSIqStanza {
    .with {
      $0.type = .set
      $0.id = ""
      $0.extension = .with {
        $0.id = id
        $0.data = data
      }
    }
  }

  /// The ids that a selective ack names; nil for any other stanza.
  /// - Throws: `.malformed`.
  func selectivelyAcknowledged() throws(MCSViolation) -> [String]? {
    guard hasExtension, `extension`.id == Self.selectiveAckID else { return nil }
    do {
      return try MCSSelectiveAck(serializedBytes: `extension`.data).id
    } catch {
      throw .malformed
    }
  }

  /// Whether this is a stream ack.
  public var isStreamAck: Bool { hasExtension && `extension`.id == Self.streamAckID }
}

extension MCSDataMessageStanza {
  /// `raw_data`, nil without.
  public var rawBytes: [UInt8]? {
    get { hasRawData ? Array(rawData) : nil }
    set {
      if let newValue { rawData = Data(newValue) } else { clearRawData() }
    }
  }
}
