package io.carillon.client;

import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Our own push channel. */
final class PushTests {
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  private PushTests() {}

  static void add(Map<String, ClientTests.Test> tests, Server server) {
    tests.put("the server is killed between two pushes, and the app dies: each comes once", () -> channel(server));
    tests.put("a distributor hands on what comes by Web Push", () -> distributor(server));
  }

  private static void channel(Server server) throws Exception {
    FileStore store = new FileStore(server.folder().resolve("device").toFile());
    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    PushChannel channel = new PushChannel(
        ChatTests.configuration(server.url()), store, message -> heard.add(message.data().get("n")));
    channel.open();
    String token = Check.value("register", channel.register("com.example.app", Arrays.asList("1234567890"), null));
    Check.equal(
        "the same token", token,
        Check.value("again", channel.register("com.example.app", Arrays.asList("1234567890"), null)));
    send(server, token, "1");
    Check.until("first", () -> heard.size() == 1);
    server.kill();
    server.start();
    send(server, token, "2");
    Check.until("second", () -> heard.size() == 2);
    Check.value("upstream", channel.send("1234567890", "com.example.app", Collections.singletonMap("hello", "server")));
    channel.close();
    send(server, token, "3");
    PushChannel reborn = new PushChannel(
        ChatTests.configuration(server.url()), store, message -> {
          heard.add(message.data().get("n"));
          if (message.data().get("n").equals("3")) throw new IllegalStateException("a listener's own fault");
        });
    reborn.open();
    Check.until("third", () -> heard.size() == 3);
    send(server, token, "4");
    Check.until("fourth", () -> heard.size() == 4);
    Check.equal("each once, in order", Arrays.asList("1", "2", "3", "4"), heard);
    reborn.close();
  }

  private static void send(Server server, String token, String number) throws CarillonException {
    Http http = server.http(Collections.singletonMap("Authorization", "key=" + server.token("shop")));
    Object answer = http.json(
        "POST", "/gcm/send", Json.of("to", token, "data", Json.of("n", number), "priority", "high"), 30_000);
    Check.equal("sent", 1L, Json.integer(answer, "success", 0));
  }

  private static void distributor(Server server) throws Exception {
    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    PushDistributor distributor = new PushDistributor(
        ChatTests.configuration(server.url()), null, new PushDistributor.Listener() {
          @Override
          public void onMessage(String connector, byte[] body, String id) {
            heard.add(connector + " " + new String(body, StandardCharsets.ISO_8859_1));
          }

          @Override
          public void onUnregistered(String connector) {
            heard.add("gone " + connector);
          }
        });
    Check.equal(
        "without a key", "VAPID_REQUIRED",
        Check.error("register", distributor.register("c-1", "org.app", null)).getMessage());
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    KeyPair keys = generator.generateKeyPair();
    String vapid = BASE64.encodeToString(point((ECPublicKey) keys.getPublic()));
    distributor.channel().open();
    String endpoint = Check.value("register", distributor.register("c-1", "org.app", vapid));
    String other = Check.value("register", distributor.register("c-2", "org.app", vapid));
    Check.that("an endpoint for each", endpoint.startsWith(server.url() + "/wp/") && !endpoint.equals(other));
    Check.equal("accepted", 201, push(server, endpoint, keys, vapid, "sealed-1"));
    Check.equal("accepted", 201, push(server, other, keys, vapid, "sealed-2"));
    Check.until("both", () -> heard.size() == 2);
    Check.that("handed on: " + heard, heard.containsAll(Arrays.asList("c-1 sealed-1", "c-2 sealed-2")));
    Check.value("unregister", distributor.unregister("c-1"));
    Check.value("again", distributor.unregister("c-1"));
    Check.equal("ended", 410, push(server, endpoint, keys, vapid, "sealed-3"));
    Check.equal("the other lives", 201, push(server, other, keys, vapid, "sealed-4"));
    Check.until("fourth", () -> heard.contains("c-2 sealed-4"));
    distributor.channel().close();
  }

  /** As an app's server does; the body is one that only the app could read. */
  private static int push(Server server, String endpoint, KeyPair keys, String vapid, String body) throws Exception {
    long expiry = System.currentTimeMillis() / 1_000 + 3_600;
    String claims = "{\"aud\":\"" + server.url() + "\",\"exp\":" + expiry + ",\"sub\":\"mailto:push@example.com\"}";
    String signed = BASE64.encodeToString("{\"typ\":\"JWT\",\"alg\":\"ES256\"}".getBytes()) + "."
        + BASE64.encodeToString(claims.getBytes());
    Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
    signature.initSign(keys.getPrivate());
    signature.update(signed.getBytes());
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("TTL", "600");
    headers.put("Urgency", "high");
    headers.put("Content-Encoding", "aes128gcm");
    headers.put("Authorization", "vapid t=" + signed + "." + BASE64.encodeToString(signature.sign()) + ", k=" + vapid);
    return server.http(headers).exchange(
        "POST", endpoint.substring(server.url().length()), "application/octet-stream", body.getBytes(), 30_000).status;
  }

  private static byte[] point(ECPublicKey key) {
    byte[] point = new byte[65];
    point[0] = 4;
    byte[][] coordinates = {key.getW().getAffineX().toByteArray(), key.getW().getAffineY().toByteArray()};
    for (int i = 0; i < 2; i++) {
      byte[] bytes = coordinates[i];
      int length = Math.min(bytes.length, 32);
      System.arraycopy(bytes, bytes.length - length, point, 33 + 32 * i - length, length);
    }
    return point;
  }
}
