// A message that several capabilities have in the same form. Each keeps a type of its own, with its own words.

/// Where pushes go: type of device, its token or URL, the set of credentials, the language of texts, and whether the
/// `debug.` credentials are meant.
public protocol PayloadAddress: PayloadPart {
  var type: String { get }
  var deviceID: String { get }
  var provider: String? { get }
  var language: String? { get }
  var debug: Bool { get }
  /// What this type of address alone has beside that.
  var supplement: String? { get }

  init(type: String, deviceID: String, provider: String?, language: String?, debug: Bool, supplement: String?)
}

@usableFromInline
enum AddressField {
  @inlinable static var type: PayloadField<String> { PayloadField<String>(1) }
  @inlinable static var deviceID: PayloadField<String> { PayloadField<String>(2) }
  @inlinable static var provider: PayloadField<String> { PayloadField<String>(3) }
  @inlinable static var language: PayloadField<String> { PayloadField<String>(4) }
  @inlinable static var debug: PayloadField<Bool> { PayloadField<Bool>(5) }
  @inlinable static var supplement: PayloadField<String> { PayloadField<String>(6) }
}

extension PayloadAddress {
  @inlinable
  public func encode(into writer: inout PayloadWriter) {
    writer.put(AddressField.type, type)
    writer.put(AddressField.deviceID, deviceID)
    writer.put(AddressField.provider, ifPresent: provider)
    writer.put(AddressField.language, ifPresent: language)
    writer.put(AddressField.debug, ifTrue: debug)
    writer.put(AddressField.supplement, ifPresent: supplement)
  }

  @inlinable
  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      type: try read.required(AddressField.type), deviceID: try read.required(AddressField.deviceID),
      provider: try read[AddressField.provider], language: try read[AddressField.language],
      debug: try read[AddressField.debug] ?? false, supplement: try read[AddressField.supplement])
  }
}
