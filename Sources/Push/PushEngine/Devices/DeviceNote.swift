import EventSourcing
import PushDomain

/// What the index must know of a device while it sleeps.
struct DeviceNote: Equatable, PayloadPart {
  struct Kind: Hashable {
    var type = ""
    var isLive = false
  }

  private enum Field {
    static let owner = PayloadField<String>(1)
    static let type = PayloadField<String>(2)
    static let isLive = PayloadField<Bool>(3)
  }

  var owner: String?
  var kind = Kind()

  init(_ device: borrowing Device) {
    owner = device.registration?.owner
    kind = Kind(type: device.registration?.address.type ?? "", isLive: device.isLive)
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.owner, ifPresent: owner)
    writer.put(Field.type, kind.type)
    writer.put(Field.isLive, ifTrue: kind.isLive)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    owner = try read[Field.owner]
    kind = Kind(type: try read[Field.type] ?? "", isLive: try read[Field.isLive] ?? false)
  }
}
