/// Paths, parameters and header fields of what standbys ask a primary.
public enum StandbyRoute {
  /// `GET`: messages without end (`StandbyMessage`). Parameters: `standby`, `segment`, `offset`, `chain`.
  public static let stream = "/admin/1/standby/stream"
  /// `GET`: a page of the manifest. Parameter: `after`, the `next` of the page before.
  public static let manifest = "/admin/1/standby/manifest"
  /// `GET`: the bytes of a file, or a range of them. Parameters: `path`, `version`.
  public static let file = "/admin/1/standby/file"
  /// `POST`: an acknowledgement; answered with 204.
  public static let acknowledgement = "/admin/1/standby/ack"

  /// On each request: the highest epoch that the standby has heard of.
  public static let epochField = "Carillon-Epoch"
  public static let streamMediaType = "application/octet-stream"

  public enum Parameter {
    public static let standby = "standby"
    public static let segment = "segment"
    public static let offset = "offset"
    /// The chain hash of the last frame before the place; 64 hexadecimal digits.
    public static let chain = "chain"
    public static let after = "after"
    public static let path = "path"
    public static let version = "version"
  }
}
