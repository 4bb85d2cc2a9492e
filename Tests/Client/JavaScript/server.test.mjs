// The client against the program itself, with a proxy between them that cuts, delays and lies.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { CarillonAgent, CarillonCallbacks, CarillonChat, CarillonDevice } from '../../../Sources/Client/JavaScript/carillon.js';
import { Proxy, deeds, inTurn, seeded } from './support/proxy.mjs';
import { Server, until } from './support/server.mjs';
import { NodeSocket } from './support/socket.mjs';
import { Memory } from './support/virtual.mjs';

let server, proxy, agent;
before(async () => {
  server = await Server.begin();
  proxy = await Proxy.begin(server.port);
  // Agents speak with the server itself: what is said twice would be theirs.
  agent = new CarillonAgent({ server: server.address, token: server.agentToken });
});
after(async () => {
  // A test that has failed has left its own open, and then nobody would hear of it.
  for (const one of open) one.close();
  agent.close();
  await proxy.end();
  await server.end();
});

let users = 0;
const open = new Set();
const opened = (one) => { open.add(one); return one; };
/** A chat by way of the proxy, and what it has told. */
function customer(options = {}) {
  const chat = opened(new CarillonChat({ server: proxy.address, user: `js-${process.pid}-${++users}`, settle: 300, timeout: 3_000, WebSocket: null, ...options }));
  const events = [];
  const errors = [];
  chat.on('event', (event) => events.push(event));
  chat.on('error', (error) => errors.push(error));
  const texts = (party) => events.filter((one) => one.type === 'Message.Text' && one.party === party).map(({ text }) => text);
  return { chat, events, errors, texts };
}

const chatOf = (chat) => until(async () => (await agent.chats()).find(({ serviceId }) => serviceId === chat.instance)?.chatId, 'the agent sees the chat');
const joined = async (chat) => {
  const id = await chatOf(chat);
  await agent.join(id, 'Kim');
  return id;
};
const said = async (id, role) => (await agent.transcript(id)).lines.filter((line) => line.type === 'Message.Text' && line.role === role).map(({ text }) => text);
const inOrder = (events) => assert.deepEqual(events.map(({ position }) => position), events.map((_, index) => index + 1));
const numbers = (count, word) => Array.from({ length: count }, (_, number) => `${word} ${number}`);

const transports = [['long polling', { WebSocket: null }], ['a WebSocket', { WebSocket: NodeSocket }]];

for (const [name, transport] of transports) {
  test(`a chat by ${name}: what each says the other reads, and files`, async () => {
    const { chat, events, texts, errors } = customer(transport);
    await chat.start({ firstName: 'Mia', subject: 'Order', data: { order: 81 } });
    const id = await joined(chat);
    await chat.send('Hello');
    await chat.typing(true, 'Hel');
    await agent.send(id, 'Good morning');
    const { position } = await chat.sendFile(new Blob(['Order 81: paid'], { type: 'text/plain' }), { name: 'bill.txt' });
    await until(() => texts('AGENT').length === 1 && chat.position >= position, 'both have come');
    const { file } = events.find(({ type }) => type === 'Notice.File');
    assert.deepEqual([file.name, file.type, file.size], ['bill.txt', 'text/plain', 14]);
    assert.equal(await (await chat.file(file.url)).text(), 'Order 81: paid');
    assert.deepEqual(await said(id, 'CLIENT'), ['Hello']);
    inOrder(events);
    await chat.end();
    assert.deepEqual([chat.phase, errors], ['ended', []]);
  });

  test(`kill -9 in mid-conversation, by ${name}: nothing is missed, nothing is said twice`, { timeout: 120_000 }, async (t) => {
    const random = seeded(81);
    t.diagnostic('seed 81');
    const { chat, events, texts } = customer(transport);
    await chat.start({ firstName: 'Mia' });
    const id = await joined(chat);
    const next = inTurn(Object.keys(deeds), random);
    let sends = 0;
    proxy.done = {};
    // Every second message meets with one of them, so that all of them have their turn.
    proxy.choose = (text) => ((/\/send /.test(text) ? ++sends % 2 : random() < 0.15) ? next() : undefined);
    const mine = numbers(12, 'mine');
    const theirs = numbers(12, 'theirs');
    const sent = mine.map((text) => chat.send(text));
    for (const [number, text] of theirs.entries()) {
      await agent.send(id, text);
      if (number === 3) {
        const killed = server.kill();
        proxy.cut();
        await killed;
        await server.start();
      }
      if (number === 7) proxy.cut();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await Promise.all(sent);
    proxy.choose = () => undefined;
    await until(() => texts('AGENT').length === theirs.length && texts('CLIENT').length >= mine.length, () => `only ${events.map(({ text }) => text)} have come`);
    assert.deepEqual(await said(id, 'CLIENT'), mine);
    assert.deepEqual(texts('CLIENT'), mine);
    assert.deepEqual(texts('AGENT'), theirs);
    inOrder(events);
    assert.deepEqual(Object.keys(proxy.done).sort(), Object.keys(deeds).sort());
    await chat.end();
  });

  test(`kill -9 in the background, by ${name}: what was said meanwhile comes, once`, async () => {
    const storage = new Memory();
    const { chat, events, texts } = customer({ ...transport, storage });
    await chat.start({ firstName: 'Mia' });
    const id = await joined(chat);
    await agent.send(id, 'before');
    await until(() => texts('AGENT').length === 1, 'the first has come');
    await chat.enterBackground();
    await agent.send(id, 'behind');
    await server.kill();
    const sent = chat.send('from the background');
    await server.start();
    await agent.send(id, 'after');
    await sent;
    const lines = (await agent.transcript(id)).lines;
    assert.equal(lines.filter(({ text }) => text === 'customer is not online').length, 1);
    chat.returnToForeground();
    await until(() => texts('AGENT').length === 3, 'all have come');
    assert.deepEqual(texts('AGENT'), ['before', 'behind', 'after']);
    assert.deepEqual(await said(id, 'CLIENT'), ['from the background']);
    inOrder(events);
    chat.close();
  });
}

test('a page that dies in mid-send with its server: the next one goes on, and nothing is said twice', async () => {
  const storage = new Memory();
  const user = `js-${process.pid}-page`;
  const first = customer({ storage, user });
  await first.chat.start({ firstName: 'Mia' });
  const id = await joined(first.chat);
  proxy.choose = (text) => (/\/send /.test(text) ? 'cutAfter' : undefined);
  first.chat.send('one');
  first.chat.send('two');
  await until(async () => (await said(id, 'CLIENT')).length >= 1, 'the first is there');
  first.chat.close();
  await server.kill();
  proxy.choose = () => undefined;
  await server.start();
  const second = customer({ storage, user });
  await second.chat.start();
  await until(() => second.chat.outbox.length === 0, 'all is sent');
  assert.deepEqual(await said(id, 'CLIENT'), ['one', 'two']);
  await until(() => second.texts('CLIENT').length === 2, 'and heard');
  inOrder(second.events);
  await second.chat.end();
});

test('what is lost more often than the server repeats it comes all the same', async () => {
  const { chat, texts } = customer();
  await chat.start({ firstName: 'Mia' });
  const id = await joined(chat);
  await until(() => chat.isConnected, 'it is connected');
  let lost = 0;
  proxy.choose = (text) => (/^POST \/genesys\/cometd/.test(text) && lost < 5 ? (lost += 1, 'cutAfter') : undefined);
  // The poll that is held already brings the first one.
  await agent.send(id, 'first');
  await until(() => texts('AGENT').length === 1 && lost === 1, 'the next one is held');
  await agent.send(id, 'second');
  await until(() => texts('AGENT').length === 2, () => `only ${texts('AGENT')} has come`, 20);
  proxy.choose = () => undefined;
  await chat.end();
});

test('sockets that lead nowhere make place for long polling, in the same chat', async () => {
  const { chat, texts } = customer({ WebSocket: NodeSocket });
  proxy.choose = (text) => (/^GET \/genesys\/cometd/.test(text) ? 'cutBefore' : undefined);
  await chat.start({ firstName: 'Mia' });
  const id = await joined(chat);
  await agent.send(id, 'Good morning');
  await until(() => texts('AGENT').length === 1, 'it has come');
  proxy.choose = () => undefined;
  await chat.end();
});

test('a chat without a user is followed by its instance', async () => {
  for (const [, transport] of transports) {
    const { chat, texts } = customer({ ...transport, user: undefined });
    await chat.start();
    await agent.send(await joined(chat), 'Good morning');
    await until(() => texts('AGENT').length === 1, 'it has come');
    await chat.end();
  }
});

test('an agent hears what happens, and once more after a kill', async () => {
  const heard = [];
  const stop = agent.on('event', (event) => heard.push(event));
  agent.listen();
  const { chat } = customer();
  await chat.start({ firstName: 'Mia' });
  await until(() => heard.some(({ name, data }) => name === 'waiting' && data.serviceId === chat.instance), 'it waits');
  await server.kill();
  await server.start();
  // What it said before is not kept: whoever listens is to read anew.
  await until(() => heard.some(({ name }) => name === 'reset'), 'the stream begins anew');
  await chat.send('Hello');
  await until(() => heard.some(({ name, data }) => name === 'line' && JSON.stringify(data).includes('"Hello"')), () => `heard ${heard.map(({ name }) => name)}`);
  stop();
  await chat.end();
});

test('a callback from its order to its end, by its dialogs', async () => {
  const callbacks = new CarillonCallbacks({ server: proxy.address, user: `js-${process.pid}-callback` });
  const slots = Object.keys(await callbacks.slots('callback-voice', { 'number-of-days': 7, 'max-time-slots': 3 }));
  assert.equal(slots.length, 3);
  const order = await callbacks.order('callback-voice', { _customer_number: '+49301234', _desired_time: slots[0] });
  assert.equal((await callbacks.get('callback-voice', order._id))._id, order._id);
  const dialog = await callbacks.act(order._id, 'get-dialog-user-confirmation');
  const choices = callbacks.choices(dialog);
  assert.equal(choices.length, 3);
  const last = await callbacks.follow(choices[2]);
  assert.equal(last._action, 'ConfirmationDialog');
  await assert.rejects(callbacks.cancel('callback-voice', order._id), { code: 'refused', status: 400 });
  await assert.rejects(callbacks.order('callback-voice', { _desired_time: 'soon' }), { code: 'refused', status: 400 });
});

test('a device gets each message once, over a kill, and sends', async () => {
  const messages = [];
  const device = opened(new CarillonDevice({ server: proxy.address, WebSocket: NodeSocket, timeout: 3_000 }));
  device.on('message', (message) => { messages.push(message); device.acknowledge(message.id); });
  await device.checkIn();
  await device.checkIn();
  const token = await device.register('com.example.app', ['4711']);
  assert.ok(token);
  await device.subscribe(token, 'news');
  const isReady = new Promise((resolve) => device.on('ready', resolve));
  device.connect();
  await isReady;
  const send = (value) => device.send({ to: '4711', category: 'com.example.app', data: { value } });
  assert.ok((await send('one')).id);
  assert.equal(await server.push(token, { number: '1' }), 1);
  await until(() => messages.length === 1, 'the first message');
  await server.kill();
  proxy.cut();
  const waiting = send('two');
  await server.start();
  assert.equal(await server.push(token, { number: '2' }), 1);
  assert.ok((await waiting).id);
  await until(() => messages.length === 2, 'the second message');
  device.close();
  // The app is started anew with what it has kept.
  assert.equal(await server.push(token, { number: '3' }), 1);
  const next = opened(new CarillonDevice({ server: proxy.address, state: JSON.parse(JSON.stringify(device.state)), WebSocket: NodeSocket }));
  next.on('message', (message) => { messages.push(message); next.acknowledge(message.id); });
  await next.checkIn();
  assert.equal(await next.register('com.example.app', ['4711']), token);
  next.connect();
  await until(() => messages.length === 3, 'the third message');
  assert.deepEqual(messages.map(({ data }) => data.number), ['1', '2', '3']);
  await assert.rejects(next.send({ to: '4712', category: 'com.example.app', data: {} }), { code: 'unsuccessful', message: 'SENDER_ID_MISMATCH' });
  next.close();
});

test('without a WebSocket a device says so, and ends', async () => {
  const device = opened(new CarillonDevice({ server: server.address, WebSocket: null }));
  const failed = new Promise((resolve) => device.on('error', resolve));
  await device.checkIn();
  device.connect();
  assert.equal((await failed).code, 'unsupported');
});
