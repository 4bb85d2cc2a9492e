import JournalFormat
import Testing
import Transparency

@Suite struct MerkleProofTests {
  @Test("the root of nothing is the hash of nothing")
  func emptyRoot() {
    #expect(
      MerkleTree.emptyRoot.description == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }
}
