/** What the test has done in the page; each part returns what has come of it, for the test to look at. */
const sessions = {};

/** Shakes hands, subscribes, polls on its own, publishes, and hears itself. */
async function converse(name, url, type, texts) {
  const client = sessions[name] = new Bayeux(url, type);
  await client.handshake();
  await client.subscribe('/news/*');
  client.running = client.run();
  const before = client.events.length;
  for (const text of texts) await client.publish('/news/page', { text });
  await client.heard(before + texts.length);
  return client.events.map((one) => one.data.text);
}

/** The session ends, and what it held is answered. */
async function leave(name) {
  const client = sessions[name];
  const reply = await client.disconnect();
  await client.running;
  const after = await client.connect();
  return { left: reply.successful, advice: client.advices.at(-2)?.reconnect, after: after.error };
}

/** Speaks for a session with its clientId alone: what the server says, and whether the browser lets the page know. */
async function steal(url, type, clientId) {
  const thief = new Bayeux(url, type);
  await thief.handshake();
  thief.clientId = clientId;
  const replies = [];
  for (const ask of [() => thief.connect({ timeout: 0 }), () => thief.subscribe('/news/*'), () => thief.disconnect()]) {
    replies.push((await ask()).error ?? 'taken');
  }
  return replies;
}

/** Why a handshake does not come about. */
async function refusal(url, type) {
  try {
    await new Bayeux(url, type).handshake();
    return 'none';
  } catch (error) {
    return String(error.message);
  }
}

/** Until `check` gives something. */
async function until(check) {
  for (;;) {
    const found = check();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 10));
  }
}

/** A second session of the browser is told so as long as the first one is held, and no longer. */
async function second(first, name, url, type) {
  const client = sessions[name] = new Bayeux(url, type);
  await until(() => sessions[first].held);
  await client.handshake();
  await client.subscribe('/news/*');
  client.running = client.run();
  const told = await until(() => client.advices.find((one) => one['multiple-clients']));
  const times = client.advices.length;
  await until(() => client.advices.length > times + 1);
  return told;
}

/** Once the first one has left: what the next held connect is answered with, by an event. */
async function alone(name) {
  const client = sessions[name];
  const before = client.events.length;
  const told = client.advices.length;
  // Held is who is not told anything any more.
  await new Promise((done) => setTimeout(done, 3 * (client.advice.interval ?? 0)));
  const polls = client.advices.length - told;
  const publisher = new Bayeux(client.url, 'long-polling');
  await publisher.handshake();
  await publisher.publish('/news/page', { text: 'alone' });
  await client.heard(before + 1);
  await until(() => !client.advice['multiple-clients']);
  return { polls, advice: client.advice };
}
