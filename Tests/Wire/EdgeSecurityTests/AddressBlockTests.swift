import NetworkAddress
import Testing

@Suite("Block of addresses")
struct AddressBlockTests {
  @Test(
    "is written as it is read, in its shortest form",
    arguments: [
      ("127.0.0.0/8", "127.0.0.0/8"), ("10.1.2.3", "10.1.2.3"), ("10.1.2.3/32", "10.1.2.3"), ("::1", "::1"),
      ("fd00:0:0:0:0:0:0:0/8", "fd00::/8"), ("::ffff:10.0.0.0/104", "10.0.0.0/8"), ("::/0", "::/0"),
      ("0.0.0.0/0", "0.0.0.0/0"),
    ])
  func written(text: String, expected: String) throws {
    let block = try #require(AddressBlock(text))
    #expect(block.description == expected)
    #expect(AddressBlock(block.description) == block)
  }
}
