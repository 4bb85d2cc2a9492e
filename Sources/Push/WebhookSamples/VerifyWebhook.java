import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Is a webhook genuine? Standard Webhooks, with Java's own classes alone.
 *
 * <pre>java VerifyWebhook.java SECRET ID TIMESTAMP SIGNATURE &lt; BODY</pre>
 */
public final class VerifyWebhook {
  private static final long TOLERANCE_SECONDS = 300;

  private VerifyWebhook() {}

  /** @param body the bytes as they came, before anything has read them as JSON. */
  public static boolean isGenuine(String secret, String id, String timestamp, String signatures, byte[] body)
      throws GeneralSecurityException {
    if (!timestamp.matches("[0-9]{1,12}")) return false;
    long age = System.currentTimeMillis() / 1_000 - Long.parseLong(timestamp);
    if (Math.abs(age) > TOLERANCE_SECONDS) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.replaceFirst("^whsec_", "")), "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
    for (String each : signatures.split(" ")) {
      // Compares in a time that says nothing of how much was right.
      if (MessageDigest.isEqual(expected, each.getBytes(StandardCharsets.UTF_8))) return true;
    }
    return false;
  }

  public static void main(String[] words) throws GeneralSecurityException, IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (int next = System.in.read(); next >= 0; next = System.in.read()) body.write(next);
    boolean isGenuine = isGenuine(words[0], words[1], words[2], words[3], body.toByteArray());
    System.out.println(isGenuine ? "genuine" : "not genuine");
    System.exit(isGenuine ? 0 : 1);
  }
}
