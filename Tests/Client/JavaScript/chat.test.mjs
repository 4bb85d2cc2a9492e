// A chat whose server, network and time are the test's: `node --test Tests/Client/JavaScript/*.test.mjs`.
import assert from 'node:assert/strict';
import test from 'node:test';

import { CarillonChat, CarillonError } from '../../../Sources/Client/JavaScript/carillon.js';
import { FakePage, FakeServer, Memory, VirtualClock, failed, settled } from './support/virtual.mjs';

/** A chat that has begun, with what it has told. */
async function world(options = {}, { isStarted = true } = {}) {
  const clock = new VirtualClock();
  const server = new FakeServer(clock);
  const open = (more = {}) => {
    const chat = new CarillonChat({ server: 'http://s.test', user: 'u', clock, fetch: server.fetch, WebSocket: null, ...options, ...more });
    const told = { events: [], errors: [], sent: [], unsent: [], phases: [] };
    chat.on('event', (event) => told.events.push(event));
    chat.on('error', (error) => told.errors.push(error));
    chat.on('sent', (one) => told.sent.push(one));
    chat.on('unsent', (one) => told.unsent.push(one));
    chat.on('phase', (phase) => told.phases.push(phase));
    return { chat, told, texts: () => told.events.filter(({ type }) => type === 'Message.Text').map(({ text }) => text), codes: () => told.errors.map(({ code }) => code) };
  };
  const first = open();
  if (isStarted) {
    await first.chat.start({ firstName: 'Mia' });
    await settled();
  }
  return { clock, server, open, ...first };
}

const positions = (told) => told.events.map(({ position }) => position);
const sends = (server) => server.requests.filter(({ path }) => path.endsWith('/send'));
const once = (matches, act) => {
  let isDone = false;
  return (request, pass) => {
    if (isDone || !matches(request)) return undefined;
    isDone = true;
    return act(request, pass);
  };
};
const isSend = ({ path }) => path.endsWith('/send');
const html = (status = 200) => new Response('<html>Sign in to the hotel</html>', { status, headers: { 'Content-Type': 'text/html' } });

test('every event comes once and in order, whoever says it', async () => {
  const { chat, server, told, texts } = await world();
  server.post('Good morning');
  await settled();
  assert.deepEqual(await chat.send('Hello', { id: 'a' }), { id: 'a', position: 3 });
  server.post('How can I help?');
  await settled();
  assert.deepEqual(texts(), ['Good morning', 'Hello', 'How can I help?']);
  assert.deepEqual(positions(told), [1, 2, 3, 4]);
  assert.equal(chat.position, 4);
  chat.close();
});

// What becomes of a message: how its first attempt goes, and whether the server has done it then.
const fates = [
  ['the answer is lost', async (_, pass) => { await pass(); throw failed('ECONNRESET'); }],
  ['the request is lost', () => { throw failed('ECONNRESET'); }],
  ['nobody is there', () => { throw failed('ECONNREFUSED'); }],
  ['the server is not ready', () => new Response('{"message":"not ready"}', { status: 503 })],
  ['the disk is full', () => new Response('{"message":"full"}', { status: 507 })],
  ['too many requests', () => new Response('{"message":"slowly"}', { status: 429, headers: { 'Retry-After': '7' } })],
  ['a proxy has no server any more, behind it', async (_, pass) => { await pass(); return html(502); }],
  ['a proxy has no server', () => html(502)],
  ['a network wants a sign-in', () => html()],
  ['somebody answers 404 in the place of the server', () => html(404)],
  ['the answer is of another version', async (_, pass) => { await pass(); return new Response('{"ok":true}'); }],
  ['the answer is cut', async (_, pass) => { const text = await (await pass()).text(); return new Response(text.slice(0, 40)); }],
  ['the answer is empty', async (_, pass) => { await pass(); return new Response(''); }],
  ['the answer is of another chat', async (_, pass) => new Response(JSON.stringify({ ...(await (await pass()).json()), chatSessionId: 'T' }))],
  ['the proof of the user has ended', () => new Response('{"message":"expired"}', { status: 401 })],
  ['no answer comes', async ({ init }, pass) => { await pass(); return new Promise((_, reject) => init.signal.addEventListener('abort', () => reject(init.signal.reason))); }],
  ['the answer comes with its head alone', async ({ init }, pass) => { await pass(); return new Response(new ReadableStream({ start(stream) { init.signal.addEventListener('abort', () => stream.error(init.signal.reason)); } })); }],
];
for (const [fate, act] of fates) {
  test(`a message is sent once: ${fate}`, async () => {
    const { chat, clock, server, texts, told } = await world();
    server.fault = once(isSend, act);
    const sent = chat.send('Hello');
    const next = chat.send('Hello');
    await clock.advance(120_000);
    assert.deepEqual(server.texts('CLIENT'), ['Hello', 'Hello']);
    assert.deepEqual([(await sent).position, (await next).position], [2, 3]);
    assert.deepEqual(texts(), ['Hello', 'Hello']);
    assert.equal(told.unsent.length, 0);
    assert.deepEqual(chat.outbox, []);
    chat.close();
  });
}

test('what the server refuses for good is told, and what stands behind it goes on', async () => {
  const { chat, server, told, clock } = await world();
  server.fault = once(isSend, () => new Response('{"message":"too long"}', { status: 400 }));
  const refused = chat.send('x'.repeat(5000));
  const next = chat.send('short');
  await clock.advance(1);
  await assert.rejects(refused, (error) => error instanceof CarillonError && error.code === 'refused' && error.status === 400 && error.message === 'too long');
  await next;
  assert.deepEqual(told.unsent.map(({ error }) => error.status), [400]);
  assert.deepEqual(server.texts('CLIENT'), ['short']);
  chat.close();
});

test('an id is sent once, however often the app says it, also after a reload', async () => {
  const storage = new Memory();
  const { chat, server, open } = await world({ storage });
  await Promise.all([chat.send('Hello', { id: 'a' }), chat.send('Hello', { id: 'a' })]);
  await chat.send('Hello', { id: 'a' });
  chat.close();
  const second = open();
  await second.chat.start();
  assert.deepEqual(await second.chat.send('Hello', { id: 'a' }), { id: 'a', position: 2 });
  assert.deepEqual(server.texts('CLIENT'), ['Hello']);
  second.chat.close();
});

for (const [whether, isDone] of [['had come', true], ['had not come', false]]) {
  test(`a page that is killed in mid-send: its message ${whether}, and comes once`, async () => {
    const storage = new Memory();
    const { chat, clock, server, open } = await world({ storage });
    server.fault = once(isSend, async (_, pass) => { if (isDone) await pass(); return new Promise(() => {}); });
    chat.send('Hello');
    chat.send('And more');
    await settled();
    // Its storage is all that is left of it.
    const left = new Memory();
    left.all = new Map(storage.all);
    const second = open({ storage: left });
    await second.chat.start();
    await clock.advance(10_000);
    assert.deepEqual(server.texts('CLIENT'), ['Hello', 'And more']);
    assert.deepEqual(second.texts(), ['Hello', 'And more']);
    assert.equal(second.told.sent.length, 2);
    second.chat.close();
    chat.close();
  });
}

test('of two pages with one storage one keeps the outbox, and the other takes it over at its end', async () => {
  const storage = new Memory();
  const held = [];
  let holder = null;
  const next = () => { if (!holder && held.length) { holder = held.shift(); Promise.resolve(holder()).then(() => { holder = null; next(); }); } };
  const locks = { request: async (_, work) => { held.push(work); next(); } };
  const { chat, clock, server, open } = await world({ storage, locks });
  const second = open();
  await second.chat.start();
  server.fault = (request) => { if (isSend(request)) throw failed('ECONNREFUSED'); };
  chat.send('Hello');
  await settled();
  assert.deepEqual(second.chat.outbox, []);
  chat.close();
  await settled();
  assert.equal(second.chat.outbox.length, 1);
  server.fault = null;
  await clock.advance(10_000);
  assert.deepEqual(server.texts('CLIENT'), ['Hello']);
  second.chat.close();
});

test('an outbox has its bound, and what is in it goes out in order', async () => {
  const { chat, clock, server, told } = await world({ storage: new Memory() });
  server.fault = (request) => { if (isSend(request)) throw failed('ECONNREFUSED'); };
  const all = Array.from({ length: 10_000 }, (_, number) => chat.send(`m${number}`));
  await settled();
  assert.equal(chat.outbox.length, 1_000);
  await assert.rejects(all[1_000], { code: 'outboxFull' });
  server.fault = null;
  await clock.advance(60_000);
  assert.deepEqual(server.texts('CLIENT'), Array.from({ length: 1_000 }, (_, number) => `m${number}`));
  assert.equal(told.sent.length, 1_000);
  chat.close();
});

// What may come in the place of a connect's answer; the client goes on after each of them.
const lies = [
  ['no JSON', () => new Response('<html>')], ['no array', () => new Response('{}')], ['an array of nothing', () => new Response('[null, 1, "x"]')],
  ['no reply among it', () => new Response('[]')], ['another status', () => html(500)], ['a cut connection', () => { throw failed('ECONNRESET'); }],
  ['a session that nobody knows', ({ body }) => new Response(JSON.stringify(body.map(({ channel, id }) => ({ channel, id, successful: false, error: '402::Unknown client', advice: { reconnect: 'handshake' } }))))],
  ['a notification of nonsense', ({ body }) => new Response(JSON.stringify([{ channel: '/_genesys', data: { tag: 'service.chat.refresh.i1', message: { chatSessionId: 'S', transcriptPosition: '-7', transcriptToShow: [[]] } } }, { channel: '/meta/connect', id: body[0].id, successful: true }]))],
  ['a notification with a gap', ({ body }) => new Response(JSON.stringify([{ channel: '/_genesys', data: { message: { chatSessionId: 'S', chatIxnState: 'TRANSCRIPT', transcriptPosition: '9', transcriptToShow: [['Message.Text', 'Kim', 'far away', '1', 'AGENT']] } } }, { channel: '/meta/connect', id: body[0].id, successful: true }]))],
  ['an endless text', () => new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(1 << 20)) }))],
  ['an advice to wait for a year', ({ body }) => new Response(JSON.stringify([{ channel: '/meta/connect', id: body[0].id, successful: true, advice: { interval: 3e10, timeout: 3e10 } }]))],
];
for (const [lie, act] of lies) {
  test(`the client goes on after ${lie}`, async () => {
    const { chat, clock, server, texts, told } = await world();
    server.post('one');
    await settled();
    server.fault = once(({ path, body }) => path === '/genesys/cometd' && body[0].channel === '/meta/connect' && !body[0].advice, act);
    server.post('two');
    await clock.advance(70_000);
    server.post('three');
    await clock.advance(130_000);
    assert.deepEqual(texts(), ['one', 'two', 'three']);
    assert.deepEqual(positions(told), [1, 2, 3, 4]);
    for (const error of told.errors) assert.ok(error instanceof CarillonError);
    chat.close();
  });
}

test('a server that forgets each session at once is not asked without a pause', async () => {
  const { chat, clock, server } = await world();
  server.fault = ({ path, body }) => {
    if (path === '/genesys/cometd' && body[0].channel === '/meta/connect') server.sessions.clear();
  };
  server.post('x');
  await settled();
  const before = server.requests.length;
  await clock.advance(600_000);
  assert.ok(server.requests.length - before < 160, `${server.requests.length - before} requests in ten minutes`);
  chat.close();
});

test('an hour without a network: a try a minute, and then everything that was missed, once', async () => {
  const { chat, clock, server, texts, told } = await world();
  server.fault = () => { throw failed('ENETUNREACH'); };
  server.post('one');
  const sent = chat.send('mine');
  await settled();
  const before = server.requests.length;
  await clock.advance(3_600_000);
  assert.ok(server.requests.length - before < 300, `${server.requests.length - before} requests in an hour`);
  assert.equal(chat.isConnected, false);
  server.post('two');
  server.fault = null;
  await clock.advance(65_000);
  assert.deepEqual(texts(), ['one', 'two', 'mine']);
  assert.equal((await sent).position, 4);
  assert.ok(chat.isConnected && told.errors.every(({ code }) => code === 'unreachable'));
  chat.close();
});

test('a clock that is set back changes nothing', async (t) => {
  const { chat, clock, server, texts } = await world();
  t.mock.method(Date, 'now', () => 0);
  server.fault = once(isSend, () => { throw failed('ECONNRESET'); });
  chat.send('Hello');
  server.post('Good morning');
  await clock.advance(10_000);
  assert.deepEqual([...texts()].sort(), ['Good morning', 'Hello']);
  chat.close();
});

test('a second address takes over, with session, outbox and positions', async () => {
  const { chat, clock, server, texts } = await world({ alternatives: ['http://t.test'] });
  const handshakes = () => server.requests.filter(({ body }) => body?.[0]?.channel === '/meta/handshake').length;
  server.post('one');
  await settled();
  server.fault = ({ url }) => { if (url.startsWith('http://s.test')) throw failed('ECONNREFUSED'); };
  const before = handshakes();
  await chat.send('mine');
  server.post('two');
  await clock.advance(60_000);
  assert.deepEqual(texts(), ['one', 'mine', 'two']);
  assert.ok(server.requests.at(-1).url.startsWith('http://t.test'));
  assert.equal(handshakes(), before);
  chat.close();
});

test('a standby that does not serve yet is passed over', async () => {
  const { chat, server } = await world({ server: 'http://t.test', alternatives: ['http://s.test'] }, { isStarted: false });
  server.fault = ({ url }) => (url.startsWith('http://t.test') ? new Response('{"message":"not ready"}', { status: 503 }) : undefined);
  await chat.start();
  assert.equal(chat.phase, 'foreground');
  chat.close();
});

test('a page that is hidden says how far it has come; visible again it has all that it missed', async () => {
  const page = new FakePage();
  const { chat, clock, server, texts, told } = await world({ page });
  server.post('one');
  await settled();
  page.look('hidden');
  await clock.advance(500);
  page.look('visible');
  await clock.advance(5_000);
  assert.deepEqual(told.phases, ['starting', 'foreground'], 'a short look elsewhere is no background');
  page.look('hidden');
  await clock.advance(2_000);
  const goodbye = server.requests.at(-1);
  assert.deepEqual([goodbye.body[0].channel, goodbye.body[0].ext.transcriptPosition, goodbye.init.keepalive], ['/meta/disconnect', '2', true]);
  assert.equal(chat.phase, 'background');
  server.post('two');
  await clock.advance(60_000);
  assert.deepEqual(texts(), ['one']);
  await chat.send('from behind');
  page.look('visible');
  await clock.advance(1_000);
  assert.deepEqual(texts(), ['one', 'two', 'from behind']);
  assert.deepEqual(positions(told), [1, 2, 3, 4]);
  chat.close();
});

test('a page that is left says goodbye before its handler returns, by a request that outlives it', async () => {
  const page = new FakePage();
  const { chat, server } = await world({ page });
  const before = server.requests.length;
  page.leave();
  assert.equal(server.requests.length, before + 1);
  assert.ok(server.requests.at(-1).init.keepalive && server.requests.at(-1).body[0].channel === '/meta/disconnect');
  chat.close();
});

test('a start whose answer is lost is the same chat at the second try', async () => {
  const { chat, clock, server, told } = await world({}, { isStarted: false });
  server.fault = once(({ path }) => path.endsWith('/ixn/chat'), async (_, pass) => { await pass(); throw failed('ECONNRESET'); });
  await assert.rejects(chat.start(), { code: 'connectionClosed' });
  assert.equal(chat.phase, 'idle');
  await chat.start();
  await clock.advance(1_000);
  assert.deepEqual(positions(told), [1]);
  assert.equal(server.requests.filter(({ path }) => path.endsWith('/request-chat')).length, 1);
  chat.close();
});

test('a chat in the storage goes on without a network, too; one that nobody knows makes place for another', async () => {
  const storage = new Memory();
  const { chat, clock, server, open } = await world({ storage });
  server.post('one');
  await settled();
  chat.close();
  server.fault = () => { throw failed('ENETUNREACH'); };
  const second = open();
  await second.chat.start();
  second.chat.send('mine');
  await clock.advance(10_000);
  server.fault = null;
  await clock.advance(60_000);
  assert.deepEqual(second.texts(), ['one', 'mine']);
  assert.deepEqual(positions(second.told), [1, 2, 3]);
  second.chat.close();
  server.fault = once(({ path }) => path.endsWith('/refresh'), () => new Response('{"message":"no such chat"}', { status: 404 }));
  server.transcript = [];
  const third = open();
  await third.chat.start();
  assert.notEqual(third.chat.instance, second.chat.instance);
  third.chat.close();
});

test('without parameters nothing is begun, and what is kept goes on', async () => {
  const storage = new Memory();
  const { chat, server, open } = await world({ storage }, { isStarted: false });
  await chat.start(null);
  assert.deepEqual([chat.phase, server.requests.length], ['idle', 0]);
  await chat.start();
  chat.close();
  const second = open();
  await second.chat.start(null);
  assert.equal(second.chat.phase, 'foreground');
  second.chat.close();
  server.end();
  const third = open();
  await third.chat.start(null);
  assert.deepEqual([third.chat.phase, storage.all.size], ['idle', 0]);
});

for (const [what, text] of [['garbage', '{"versio'], ['another version', '{"version":2}'], ['other things', '{"version":1,"instance":7}'], ['a broken outbox', '{"version":1,"instance":"i9","session":"S","outbox":[null,{"id":1},{"id":"a","kind":"rm","text":"x","after":null}],"done":[3]}']]) {
  test(`a storage with ${what} harms nobody`, async () => {
    const storage = new Memory();
    storage.setItem('carillon', text);
    const { chat, told, clock } = await world({ storage });
    await clock.advance(10_000);
    assert.equal(chat.phase, 'foreground');
    assert.deepEqual([chat.outbox, told.errors], [[], []]);
    chat.close();
  });
}

test('a storage that throws is told of, and the chat goes on', async () => {
  const storage = { getItem() { throw new Error('forbidden'); }, setItem() { throw new Error('quota'); }, removeItem() { throw new Error('forbidden'); } };
  const { chat, server, codes } = await world({ storage });
  await chat.send('Hello');
  assert.deepEqual(server.texts('CLIENT'), ['Hello']);
  assert.ok(codes().length > 0 && codes().every((code) => code === 'storage'));
  chat.close();
});

test('a listener that throws, at once or later, is told of and harms nobody', async () => {
  const { chat, server, texts, codes } = await world();
  chat.on('event', () => { throw new Error('mine'); });
  chat.on('event', async () => { throw new Error('mine, later'); });
  chat.on('error', () => { throw new Error('and here'); });
  server.post('one');
  await settled();
  assert.deepEqual(texts(), ['one']);
  assert.deepEqual(codes(), ['listener', 'listener']);
  chat.close();
});

test('what nobody looks at ends no process', async () => {
  const heard = [];
  const hear = (reason) => heard.push(reason);
  process.on('unhandledRejection', hear);
  const { chat, server } = await world({}, { isStarted: false });
  chat.send('too early');
  chat.typing(true);
  chat.end();
  server.fault = () => { throw failed('ECONNRESET'); };
  chat.start();
  await settled();
  process.off('unhandledRejection', hear);
  assert.deepEqual(heard, []);
});

test('the other side ends it: all is told, what waits is refused, nothing goes on', async () => {
  const { chat, clock, server, told } = await world({ storage: new Memory() });
  server.fault = (request) => { if (isSend(request)) throw failed('ECONNREFUSED'); };
  const sent = chat.send('Hello');
  await settled();
  server.end();
  await clock.advance(30_000);
  await assert.rejects(sent, { code: 'invalidState' });
  assert.deepEqual([told.unsent.length, chat.phase, told.events.at(-1).type], [1, 'ended', 'Notice.Left']);
  const before = server.requests.length;
  await clock.advance(600_000);
  assert.equal(server.requests.length, before);
  assert.equal(clock.waiting, 0);
  await assert.rejects(chat.send('more'), { code: 'invalidState' });
});

test('an end is an end, once; and one that cannot be said is an error that can be tried again', async () => {
  const { chat, server, clock } = await world();
  server.fault = () => { throw failed('ECONNREFUSED'); };
  await assert.rejects(chat.end(), { code: 'unreachable' });
  server.fault = null;
  await chat.end();
  await chat.end();
  assert.equal(chat.phase, 'ended');
  await clock.advance(60_000);
  assert.equal(clock.waiting, 0);
});

test('a file goes out in its place, once', async () => {
  const { chat, clock, server } = await world();
  server.fault = once(({ path }) => path.endsWith('/file'), async (_, pass) => { await pass(); throw failed('ECONNRESET'); });
  const sent = chat.sendFile(new Blob(['Order 81: paid'], { type: 'text/plain' }), { name: 'bill.txt' });
  await clock.advance(10_000);
  assert.equal((await sent).position, 2);
  assert.equal(server.transcript.filter(([type]) => type === 'Notice.File').length, 1);
  chat.close();
});

test('a file is asked of the chat\'s own server, whoever is named in its URL', async () => {
  const { chat, server } = await world();
  server.fault = ({ path }) => (path === '/genesys/1/x/file/7' ? new Response('bytes') : undefined);
  assert.equal(await (await chat.file('https://evil.test/genesys/1/x/file/7')).text(), 'bytes');
  assert.equal(server.requests.at(-1).url, 'http://s.test/genesys/1/x/file/7');
  await assert.rejects(chat.file('https://evil.test/else'), { code: 'malformedResponse' });
  chat.close();
});

test('a device that has moved is told to the server when the chat goes on', async () => {
  const storage = new Memory();
  const { chat, server, open } = await world({ storage });
  await chat.setPush({ type: 'webpush', deviceID: 'old' });
  chat.close();
  const second = open();
  await second.chat.start({ push: { type: 'webpush', deviceID: 'new' } });
  await settled();
  const updates = server.requests.filter(({ path }) => path.endsWith('/updateData')).map(({ body }) => body.push_notification_deviceid);
  assert.deepEqual(updates, ['old', 'new']);
  second.chat.close();
  const third = open();
  await third.chat.start({ push: { type: 'webpush', deviceID: 'new' } });
  await settled();
  assert.equal(server.requests.filter(({ path }) => path.endsWith('/updateData')).length, 2);
  third.chat.close();
});

test('addresses are told apart from what are none', () => {
  for (const server of ['', 'chat.test', 'ftp://chat.test', 'http://', null]) assert.throws(() => new CarillonChat({ server }), { code: 'invalidAddress' }, server);
});
