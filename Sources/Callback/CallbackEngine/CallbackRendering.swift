import CallbackDomain
import JSONEnvelope

/// What a callback puts on the wire from inside the engine.
enum CallbackRendering {
  /// The callback push message. Spec: GMS 7.2.
  static func push(_ dialog: CallbackDialog, id: String) -> [UInt8] {
    JSONWriter.exactObject(capacity: 128) { push in
      push.member("_id", id)
      push.member("_action", dialog.action)
    }
  }
}
