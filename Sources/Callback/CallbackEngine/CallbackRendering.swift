import CallbackDomain
import JSONEnvelope

/// What a callback puts on the wire from inside the engine.
enum CallbackRendering {
  /// The callback push message. Spec: GMS 7.2.
  static func push(_ dialog: CallbackDialog, id: String) -> [UInt8] {
    var writer = JSONWriter(capacity: 128)
    writer.beginObject()
    writer.key("_id")
    writer.string(id)
    writer.key("_action")
    writer.string(dialog.action)
    writer.endObject()
    return writer.bytes.withUnsafeBufferPointer { Array($0) }
  }
}
