package io.carillon.client;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Locale;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** A client's WebSocket that carries texts: RFC 6455 without extensions. One thread reads, any may write. */
final class WebSocket implements Closeable {
  private static final String ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final int CONTINUATION = 0;
  private static final int TEXT = 1;
  private static final int CLOSE = 8;
  private static final int PING = 9;
  private static final int PONG = 10;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;

  private WebSocket(Socket socket) throws IOException {
    this.socket = socket;
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    out = socket.getOutputStream();
  }

  /** @param silenceMilliseconds as long as this without a byte, and the server is taken for gone. */
  static WebSocket open(ServerAddress server, String path, int silenceMilliseconds) throws CarillonException {
    Socket socket;
    try {
      socket = connect(server);
    } catch (IOException failure) {
      throw new CarillonException(
          CarillonException.Kind.UNREACHABLE, server + ": " + failure.getMessage(), failure);
    }
    try {
      socket.setTcpNoDelay(true);
      WebSocket opened = new WebSocket(socket);
      opened.shakeHands(server, path);
      socket.setSoTimeout(silenceMilliseconds);
      return opened;
    } catch (IOException failure) {
      closeQuietly(socket);
      throw failed(failure);
    } catch (CarillonException failure) {
      closeQuietly(socket);
      throw failure;
    }
  }

  private static Socket connect(ServerAddress server) throws IOException {
    Socket plain = new Socket();
    try {
      plain.connect(new InetSocketAddress(server.host(), server.port()), Limits.CONNECT_MILLISECONDS);
      plain.setSoTimeout(Limits.CONNECT_MILLISECONDS);
      if (!server.isSecure()) return plain;
      SSLSocket secure = (SSLSocket) ((SSLSocketFactory) SSLSocketFactory.getDefault())
          .createSocket(plain, server.host(), server.port(), true);
      secure.startHandshake();
      // A socket checks the chain of certificates, not whose they are.
      if (!HttpsURLConnection.getDefaultHostnameVerifier().verify(server.host(), secure.getSession())) {
        throw new IOException("the certificate is of another host");
      }
      return secure;
    } catch (IOException failure) {
      closeQuietly(plain);
      throw failure;
    }
  }

  private void shakeHands(ServerAddress server, String path) throws IOException, CarillonException {
    byte[] nonce = new byte[16];
    RANDOM.nextBytes(nonce);
    String key = Base64.getEncoder().encodeToString(nonce);
    String request = "GET " + server.basePath() + path + " HTTP/1.1\r\nHost: " + server.authority()
        + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + key
        + "\r\n\r\n";
    out.write(request.getBytes(StandardCharsets.US_ASCII));
    String[] head = readHead().split("\r\n");
    String[] status = head[0].split(" ", 3);
    if (status.length < 2 || !status[0].startsWith("HTTP/1.") || !status[1].matches("[1-5][0-9][0-9]")) {
      throw malformed("no HTTP");
    }
    if (!status[1].equals("101")) {
      throw CarillonException.refused(Integer.parseInt(status[1]), "no WebSocket", -1);
    }
    for (String line : head) {
      if (line.toLowerCase(Locale.ROOT).startsWith("sec-websocket-accept:")
          && line.substring(line.indexOf(':') + 1).trim().equals(accept(key))) {
        return;
      }
    }
    throw malformed("an answer to somebody else's handshake");
  }

  private String readHead() throws IOException, CarillonException {
    StringBuilder head = new StringBuilder();
    while (head.length() < 4 || !head.substring(head.length() - 4).equals("\r\n\r\n")) {
      head.append((char) in.readUnsignedByte());
      if (head.length() > Limits.SOCKET_HEAD_BYTES_MAXIMUM) throw malformed("a head without end");
    }
    return head.toString();
  }

  private static String accept(String key) {
    try {
      String text = key + ACCEPT_SUFFIX;
      byte[] hash = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.US_ASCII));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException failure) {
      throw new AssertionError("every Java has SHA-1", failure);
    }
  }

  /** The next text; waits for it. */
  byte[] read() throws CarillonException {
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    try {
      while (true) {
        int first = in.readUnsignedByte();
        int second = in.readUnsignedByte();
        long length = second & 0x7F;
        if (length == 126) length = in.readUnsignedShort();
        else if (length == 127) length = in.readLong();
        // Neither reserved bits nor masks come from a server that was promised none.
        if ((first & 0x70) != 0 || (second & 0x80) != 0 || length < 0
            || length > Limits.SOCKET_MESSAGE_BYTES_MAXIMUM - message.size()) {
          throw malformed("no frame of a WebSocket that was asked for");
        }
        byte[] payload = new byte[(int) length];
        in.readFully(payload);
        switch (first & 0x0F) {
          case TEXT:
          case CONTINUATION:
            message.write(payload);
            if ((first & 0x80) != 0) return message.toByteArray();
            break;
          case PING:
            write(PONG, payload);
            break;
          case PONG:
            break;
          case CLOSE:
            throw new EOFException("closed by the server");
          default:
            throw malformed("a frame of an unknown kind");
        }
      }
    } catch (IOException failure) {
      throw failed(failure);
    }
  }

  void write(Object json) throws CarillonException {
    try {
      write(TEXT, Json.bytes(json));
    } catch (IOException failure) {
      throw failed(failure);
    }
  }

  private synchronized void write(int kind, byte[] payload) throws IOException {
    ByteArrayOutputStream frame = new ByteArrayOutputStream(payload.length + 14);
    frame.write(0x80 | kind);
    if (payload.length < 126) {
      frame.write(0x80 | payload.length);
    } else if (payload.length < 65_536) {
      frame.write(0x80 | 126);
      frame.write(payload.length >> 8);
      frame.write(payload.length);
    } else {
      frame.write(0x80 | 127);
      for (int shift = 56; shift >= 0; shift -= 8) frame.write((int) ((long) payload.length >> shift));
    }
    byte[] mask = new byte[4];
    RANDOM.nextBytes(mask);
    frame.write(mask);
    for (int i = 0; i < payload.length; i++) frame.write(payload[i] ^ mask[i & 3]);
    out.write(frame.toByteArray());
  }

  @Override
  public void close() {
    closeQuietly(socket);
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException failure) {
      // Then it is closed already.
    }
  }

  private static CarillonException failed(IOException failure) {
    return new CarillonException(
        failure instanceof SocketTimeoutException
            ? CarillonException.Kind.TIMED_OUT : CarillonException.Kind.CONNECTION_CLOSED,
        String.valueOf(failure.getMessage()), failure);
  }

  private static CarillonException malformed(String message) {
    return new CarillonException(CarillonException.Kind.MALFORMED_RESPONSE, message);
  }
}
