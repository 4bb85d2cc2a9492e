package io.carillon.client;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;

/** Stands between a client and the server, and cuts, delays and lies as the test tells it. One request a connection. */
final class Proxy implements Closeable {
  enum Fault {
    NONE, CUT_BEFORE, CUT_AFTER, DELAY, NO_HTTP, SIGN_IN_PAGE, TRUNCATE, BAD_GATEWAY, UNKNOWN_CLIENT, OTHER_VERSION
  }

  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final int serverPort;
  private final long delayMilliseconds;
  /** What is done to a request, by its head. */
  private final Function<String, Fault> faults;

  Proxy(int serverPort, long delayMilliseconds, Function<String, Fault> faults) throws IOException {
    this.serverPort = serverPort;
    this.delayMilliseconds = delayMilliseconds;
    this.faults = faults;
    Workers.run(() -> {
      while (!listener.isClosed()) accept();
    });
  }

  String url() {
    return "http://127.0.0.1:" + listener.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }

  private void accept() {
    try {
      Socket client = listener.accept();
      Workers.run(() -> serve(client));
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void serve(Socket client) {
    try (Socket open = client) {
      byte[] request = request(open.getInputStream());
      String text = new String(request, StandardCharsets.UTF_8);
      Fault fault = faults.apply(text);
      if (fault == Fault.CUT_BEFORE) return;
      if (fault == Fault.DELAY) Thread.sleep(delayMilliseconds);
      byte[] answer = forward(request);
      switch (fault) {
        case CUT_AFTER:
          return;
        case NO_HTTP:
          answer = "\u0000\u0001 this is no HTTP\r\n\r\n".getBytes(StandardCharsets.UTF_8);
          break;
        case SIGN_IN_PAGE:
          answer = answer("200 OK", "text/html", "<html>Welcome to our network</html>");
          break;
        case TRUNCATE:
          answer = Arrays.copyOf(answer, answer.length - Math.min(answer.length, 12));
          break;
        case BAD_GATEWAY:
          answer = answer("502 Bad Gateway", "text/plain", "nobody there");
          break;
        case UNKNOWN_CLIENT:
          String id = text.replaceAll("(?s).*\"id\":\"([0-9]+)\".*", "$1");
          answer = answer("200 OK", "application/json", "[{\"channel\":\"/meta/connect\",\"id\":\"" + id
              + "\",\"successful\":false,\"error\":\"402::Unknown client\",\"advice\":{\"reconnect\":\"handshake\"}}]");
          break;
        case OTHER_VERSION:
          answer = answer(
              "200 OK", "application/json", "{\"version\":9,\"transcript\":{\"of\":[\"another\",\"form\"]}}");
          break;
        default:
      }
      open.getOutputStream().write(answer);
    } catch (IOException | InterruptedException gone) {
      // The client has not waited, or the server is dead.
    }
  }

  private static byte[] answer(String status, String type, String body) {
    return ("HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nConnection: close\r\nContent-Length: "
        + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] request(InputStream from) throws IOException {
    DataInputStream in = new DataInputStream(from);
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) head.append((char) in.readUnsignedByte());
    String lower = head.toString().toLowerCase(Locale.ROOT);
    int length = 0;
    int place = lower.indexOf("content-length:");
    if (place >= 0) length = Integer.parseInt(lower.substring(place + 15, lower.indexOf("\r\n", place)).trim());
    byte[] body = new byte[length];
    in.readFully(body);
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    String closing = head.toString().replaceAll("(?i)\r\nconnection:[^\r]*", "").replaceFirst(
        "\r\n", "\r\nConnection: close\r\n");
    request.write(closing.getBytes(StandardCharsets.ISO_8859_1));
    request.write(body);
    return request.toByteArray();
  }

  private byte[] forward(byte[] request) throws IOException {
    try (Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort)) {
      server.getOutputStream().write(request);
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      byte[] piece = new byte[8_192];
      int count;
      while ((count = server.getInputStream().read(piece)) >= 0) answer.write(piece, 0, count);
      if (answer.size() == 0) throw new EOFException("no answer");
      return answer.toByteArray();
    }
  }
}
