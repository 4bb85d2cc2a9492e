import EventSourcing

// What a request may bring.
extension CallbackLimits {
  func check(_ request: CallbackRequest) throws(CallbackRejection) {
    try check(request.fields)
    let texts: [(field: String, text: String?)] = [
      ("gms_user", request.userKey), ("_device_os", request.device?.type),
      ("_device_notification_id", request.device?.deviceID), ("_provider", request.device?.provider),
      ("_language", request.device?.language), ("_language", request.language),
      ("_access_number", request.accessNumber), ("_access_code", request.accessCode),
    ]
    for (field, text) in texts where text?.utf8.count ?? 0 > valueBytesMaximum {
      throw .tooLong(field: field, limit: valueBytesMaximum)
    }
  }

  func check(_ fields: [NameValuePair]) throws(CallbackRejection) {
    guard fields.count <= fieldsMaximum else { throw .tooManyFields(limit: fieldsMaximum) }
    for field in fields {
      guard !field.name.isEmpty else { throw .invalid(field: field.name, reason: "a field needs a name") }
      // Not the whole of it: the answer names the field.
      guard field.name.utf8.count <= nameBytesMaximum else {
        throw .tooLong(field: "\(field.name.prefix(32))…", limit: nameBytesMaximum)
      }
      guard field.value.utf8.count <= valueBytesMaximum else {
        throw .tooLong(field: field.name, limit: valueBytesMaximum)
      }
    }
    let bytes = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    guard bytes <= fieldBytesMaximum else { throw .tooLong(field: "fields", limit: fieldBytesMaximum) }
  }
}

extension [NameValuePair] {
  /// With `changes` one after the other; an empty value deletes. What is known keeps its place. Spec: GMS 9.5.
  func merging(_ changes: [NameValuePair]) -> [NameValuePair] {
    var merged = self
    for change in changes {
      let place = merged.firstIndex { $0.name.isNamed(change.name) }
      merged.removeAll { $0.name.isNamed(change.name) }
      if !change.value.isEmpty { merged.insert(change, at: place ?? merged.count) }
    }
    return merged
  }
}
