import EventSourcing
import StorageDomain

/// What is known of stored data while it sleeps. Field numbers are frozen.
struct StorageNote: PayloadPart {
  private enum Field {
    static let name = PayloadField<StorageName>(1)
    static let files = PayloadField<File>(2)
  }

  let name: StorageName?
  let files: [File]

  init(_ data: borrowing StoredData) {
    name = data.name
    files = data.files.map { File(digest: $0.digest, byteCount: $0.byteCount) }
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.name, ifPresent: name)
    writer.put(each: Field.files, files)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    name = try read[Field.name]
    files = try read.all(Field.files)
  }

  struct File: PayloadPart {
    private enum Field {
      static let digest = PayloadField<[UInt8]>(1)
      static let byteCount = PayloadField<Int>(2)
    }

    let digest: [UInt8]
    let byteCount: Int

    init(digest: [UInt8], byteCount: Int) {
      self.digest = digest
      self.byteCount = byteCount
    }

    func encode(into writer: inout PayloadWriter) {
      writer.put(Field.digest, digest)
      writer.put(Field.byteCount, byteCount)
    }

    init(payload: inout PayloadReader) throws(PayloadError) {
      let read = try PayloadFields(&payload)
      self.init(digest: try read.required(Field.digest), byteCount: try read[Field.byteCount] ?? 0)
      guard digest.count == 32 else { throw .missingField(Field.digest.number) }
    }
  }
}
