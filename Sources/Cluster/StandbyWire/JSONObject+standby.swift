import JSONEnvelope
import JournalFormat

extension JSONObject {
  /// - Throws: `document` if it is longer than `maximum`, no JSON, or no object.
  init(document bytes: [UInt8], atMost maximum: Int) throws(StandbyWireError) {
    let limits = JSONLimits(depthMaximum: 4, documentBytesMaximum: maximum)
    guard let object = (try? JSONValue(parsing: bytes, limits: limits))?.object else { throw .document }
    self = object
  }

  func number(_ name: String, atLeast minimum: UInt64 = 0) throws(StandbyWireError) -> UInt64 {
    guard case .integer(let value)? = self[name], let number = UInt64(exactly: value),
      (minimum...StandbyLimits.numberMaximum).contains(number)
    else { throw .document }
    return number
  }

  func epoch(_ name: String) throws(StandbyWireError) -> UInt32 {
    guard let epoch = UInt32(exactly: try number(name, atLeast: 1)) else { throw .document }
    return epoch
  }

  func place() throws(StandbyWireError) -> StandbyPlace {
    let offset = try number("offset")
    guard offset <= UInt64(StandbyLimits.segmentEndMaximum) else { throw .document }
    return StandbyPlace(segment: try number("segment", atLeast: 1), offset: Int(offset))
  }

  func segmentID(_ name: String) throws(StandbyWireError) -> SegmentID {
    guard let id = self[name]?.string.flatMap({ SegmentID(hexadecimal: $0) }) else { throw .document }
    return id
  }

  func file() throws(StandbyWireError) -> StandbyFile {
    guard let path = self["path"]?.string, let version = self["version"]?.string,
      let file = StandbyFile(path: path, byteCount: try number("size"), version: version)
    else { throw .document }
    return file
  }
}
