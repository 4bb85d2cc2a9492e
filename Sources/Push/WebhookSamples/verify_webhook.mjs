// Is a webhook genuine? Standard Webhooks, with Node's own modules alone.
//
//     node verify_webhook.mjs SECRET ID TIMESTAMP SIGNATURE < BODY

import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const TOLERANCE_SECONDS = 300;

/** `body`: the bytes as they came, before anything has read them as JSON. */
export function isGenuine(secret, id, timestamp, signatures, body) {
  if (!/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const code = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(" ").some((each) => {
    const [version, text = ""] = each.split(",");
    const signature = Buffer.from(text, "base64");
    return version === "v1" && signature.length === code.length && timingSafeEqual(signature, code);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const genuine = isGenuine(...process.argv.slice(2, 6), readFileSync(0));
  console.log(genuine ? "genuine" : "not genuine");
  process.exitCode = genuine ? 0 : 1;
}
