import Journal

extension ExitStatus {
  init(_ error: JournalError) {
    self =
      switch error {
      case .locked: .dataDirectoryInUse
      case .damaged, .foreignFile, .newerVersion, .missingSegment, .brokenSequence: .damagedData
      case .configuration: .configuration
      case .storage, .storageFull: .dataDirectory
      case .failed: .journalFailed
      case .keyTooLong, .tooLarge, .overloaded, .closed: .software
      }
  }
}
