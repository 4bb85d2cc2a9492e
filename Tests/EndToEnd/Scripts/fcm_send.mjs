// An app server on Node's own http2 module, as Google's library for Node sends: one session, one stream a message.
//
//   node fcm_send.mjs URL PROJECT KEY AUTHORITY TOKEN COUNT
//
// Sends COUNT messages at once by FCM v1 and prints {"sent": [names], "sessions": 1, "protocol": "h2"}.
import { readFileSync } from "node:fs";
import http2 from "node:http2";

const [url, project, key, authority, token, count] = process.argv.slice(2);
const session = http2.connect(url, { ca: readFileSync(authority) });
session.on("error", (error) => {
  console.log(JSON.stringify({ failed: String(error) }));
  process.exit(1);
});

function send(number) {
  const body = JSON.stringify({ message: { token, data: { number: String(number) } } });
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": "POST",
      ":path": `/v1/projects/${project}/messages:send`,
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
    });
    let status = 0;
    let text = "";
    stream.setEncoding("utf8");
    stream.on("response", (fields) => { status = fields[":status"]; });
    stream.on("data", (part) => { text += part; });
    stream.on("end", () => (status === 200 ? resolve(JSON.parse(text).name) : reject(new Error(`${status} ${text}`))));
    stream.on("error", reject);
    stream.end(body);
  });
}

try {
  const sent = await Promise.all(Array.from({ length: Number(count) }, (_, number) => send(number)));
  console.log(JSON.stringify({ sent, protocol: session.alpnProtocol }));
  session.close();
} catch (error) {
  console.log(JSON.stringify({ failed: String(error) }));
  process.exit(1);
}
