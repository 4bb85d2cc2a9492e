package io.carillon.client;

import java.net.URI;
import java.net.URISyntaxException;

/** Where a Carillon server listens. */
public final class ServerAddress {
  private final String host;
  private final int port;
  private final boolean isSecure;
  /** What stands before every path, without a slash at its end; empty for none. */
  private final String basePath;

  private ServerAddress(String host, int port, boolean isSecure, String basePath) {
    this.host = host;
    this.port = port;
    this.isSecure = isSecure;
    this.basePath = basePath;
  }

  /** Reads {@code http://host[:port][/base]} or {@code https://…}. */
  static ServerAddress parse(String url) throws CarillonException {
    try {
      URI uri = new URI(url == null ? "" : url);
      boolean isSecure = "https".equalsIgnoreCase(uri.getScheme());
      if (!isSecure && !"http".equalsIgnoreCase(uri.getScheme()) || uri.getHost() == null
          || uri.getRawQuery() != null || uri.getRawFragment() != null || uri.getRawUserInfo() != null
          || uri.getPort() == 0 || uri.getPort() > 65_535) {
        throw new URISyntaxException(String.valueOf(url), "no http or https address");
      }
      String base = uri.getRawPath() == null ? "" : uri.getRawPath();
      while (base.endsWith("/")) base = base.substring(0, base.length() - 1);
      String host = uri.getHost();
      if (host.startsWith("[")) host = host.substring(1, host.length() - 1);
      return new ServerAddress(host, uri.getPort() < 0 ? (isSecure ? 443 : 80) : uri.getPort(), isSecure, base);
    } catch (URISyntaxException failure) {
      throw new CarillonException(CarillonException.Kind.INVALID_ADDRESS, String.valueOf(url), failure);
    }
  }

  String host() {
    return host;
  }

  int port() {
    return port;
  }

  boolean isSecure() {
    return isSecure;
  }

  String basePath() {
    return basePath;
  }

  /** Host and port as the header {@code Host} has them. */
  String authority() {
    String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return port == (isSecure ? 443 : 80) ? name : name + ":" + port;
  }

  @Override
  public String toString() {
    return (isSecure ? "https://" : "http://") + authority() + basePath;
  }
}
