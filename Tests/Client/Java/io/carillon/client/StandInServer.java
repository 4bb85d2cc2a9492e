package io.carillon.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A chat in memory, quick enough for ten thousand messages; it loses the answer to each message of a period. */
final class StandInServer implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<List<String>> transcript = new ArrayList<>();
  private final int lossPeriod;

  StandInServer(int lossPeriod) throws IOException {
    this.lossPeriod = lossPeriod;
    // Without it each answer waits for the acknowledgement of its head.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    server.createContext("/genesys", this::answer);
    server.setExecutor(threads);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  synchronized int count() {
    return transcript.size();
  }

  synchronized List<String> texts() {
    List<String> texts = new ArrayList<>();
    for (List<String> event : transcript) texts.add(event.get(2));
    return texts;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  /** Nobody is kept busy by connecting. */
  private static void rest() {
    try {
      Thread.sleep(500);
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] piece = new byte[1_024];
    int count;
    while ((count = exchange.getRequestBody().read(piece)) >= 0) body.write(piece, 0, count);
    String form = URLDecoder.decode(new String(body.toByteArray(), StandardCharsets.UTF_8), "UTF-8");
    String path = exchange.getRequestURI().getPath();
    if (path.endsWith("/cometd")) rest();
    byte[] answer;
    synchronized (this) {
      boolean isMessage = path.endsWith("/send");
      if (isMessage) {
        transcript.add(Arrays.asList("Message.Text", "Mia", form.substring("message=".length()), "0", "CLIENT"));
      }
      if (isMessage && transcript.size() % lossPeriod == 0) {
        exchange.close();
        return;
      }
      int after = transcript.size();
      if (path.endsWith("/refresh")) after = Integer.parseInt(form.substring("transcriptPosition=".length()));
      Object reply = path.endsWith("/request-chat") ? Json.of("_id", "1")
          : path.endsWith("/cometd") ? new ArrayList<>()
          : Json.of(
              "chatSessionId", "1", "chatIxnState", "TRANSCRIPT", "transcriptPosition",
              String.valueOf(transcript.size()), "transcriptToShow",
              transcript.subList(after, transcript.size()));
      answer = Json.bytes(reply);
    }
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }
}
