// The console's pure modules: `node --test Tests/Console/PagesTests`.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';

const pages = new URL('../../../Sources/Console/Pages/', import.meta.url);
const load = (name) => import(new URL(name, pages));
const { merge, stillUnsent } = await load('agent/transcript.js');
const { EventParser, backOff } = await load('core/sse.js').catch(() => ({}));
const { reading } = await load('core/reading.js');
const { clock, short, setServerDate, now } = await load('core/time.js');
const { verdict, lastPush } = await load('operator/verdict.js');
const { absences, chain, laneOf, lanes, questions, spread, toneOf } = await load('operator/story.js');
const { flat } = await load('core/flat.js');
const [en, de] = await Promise.all(['en', 'de'].map(async (name) => flat((await load(`i18n/${name}.js`)).default)));

const line = (position, text, time = '2026-01-01T00:00:00Z') => ({ position, text, time, type: 'Message.Text', role: 'AGENT', nickname: 'Kim' });

test('every language has the same keys, and the same holes in each text', () => {
  assert.deepEqual(Object.keys(de), Object.keys(en));
  const holes = (text) => [...String(text).matchAll(/\{\w+\}/g)].map(String).sort();
  for (const key of Object.keys(en)) assert.deepEqual(holes(de[key]), holes(en[key]), key);
});

test('a line that comes by answer, stream and list is there once', () => {
  const lines = merge(merge([line(1, 'a')], [line(2, 'b'), line(1, 'a')]), [line(2, 'b'), line(3, 'c')]);
  assert.deepEqual(lines.map(({ position }) => position), [1, 2, 3]);
});

test('what only agents see stands behind what was said before it', () => {
  const aside = { ...line(null, 'note', '2026-01-01T00:00:02Z'), visibility: 'agent' };
  const lines = merge([line(1, 'a', '2026-01-01T00:00:01Z'), line(2, 'b', '2026-01-01T00:00:03Z')], [aside, { ...aside }]);
  assert.deepEqual(lines.map(({ text }) => text), ['a', 'note', 'b']);
});

test('a message whose answer was lost is not sent again if it has come, and each line answers for one', () => {
  const sent = [{ text: 'x', after: 4, key: '1' }, { text: 'x', after: 4, key: '2' }];
  assert.deepEqual(stillUnsent(sent, [line(3, 'x'), line(5, 'x')], () => true).map(({ key }) => key), ['2']);
});

test('the clock is the server\'s, however wrong the browser\'s is', () => {
  const date = new Date(Date.now() + 86400000);
  setServerDate(date.toUTCString());
  assert.ok(Math.abs(now() - date.getTime()) < 2000);
  assert.equal(clock(3725000), '1:02:05');
  assert.equal(short(59999), '59 s');
});

test('events are cut from a stream wherever it breaks', { skip: !EventParser }, () => {
  const parser = new EventParser();
  const events = [...'id: 7\nevent: line\ndata: {"a":1}\n\n: quiet\n\n'].flatMap((one) => parser.push(one));
  assert.deepEqual(events, [{ name: 'line', id: '7', data: '{"a":1}' }]);
  assert.ok(backOff(30, 1) <= 15000);
});

const sources = readdirSync(pages, { recursive: true }).filter((name) => name.endsWith('.js') && !/^(?:i18n|demo)\//.test(name));
const source = (name) => readFileSync(new URL(name, pages), 'utf8');

test('every word that a page asks for is there', () => {
  const groups = new Set(Object.keys(en).map((key) => key.split('.')[0]));
  for (const name of sources) {
    for (const [, key] of source(name).matchAll(/\bt\('([^']+)'/g)) assert.ok(key in en, `${name}: ${key}`);
    for (const [, words] of source(name).matchAll(/\blisting\([^\n]*?('[\w.-]+', \['.*?\])[^\n]*/g)) for (const [, key] of words.matchAll(/'([\w.-]+)'/g)) assert.ok(key in en, `${name}: ${key}`);
    for (const [, group] of source(name).matchAll(/\b(?:term\('(\w+)'|t\(`(\w+)\.)/g)) if (group) assert.ok(groups.has(group), `${name}: ${group}`);
  }
});

test('no page parses markup or asks another host', () => {
  for (const name of sources) assert.doesNotMatch(source(name), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|['"`]https?:\/\/(?!www\.w3\.org\/2000\/svg|localhost')[a-z]/, name);
});

/** Entries as `/admin/1/timeline` gives them: each record a second after the one before. */
const told = (...entries) => entries.map((entry, index) => ({ position: index + 1, time: `2026-01-01T00:00:${String(index).padStart(2, '0')}.000Z`, detail: false, ...entry }));
const chat = (event, more) => ({ kind: 'chat', id: 'c', event, ...more });
const push = (event, more) => ({ kind: 'push', id: 'd', event, message: 'm', ...more });
const asked = [chat('started'), chat('customerAbsent'), chat('pushRequested', { message: 'm' }), push('enqueued')];
const ended = (outcome, more) => [...asked, push('attemptBegan'), push('settled', { outcome, ...more })];

const cases = [
  ['it was delivered', ended('delivered'), { key: 'delivered', kind: 'ok', message: 'm', device: 'd' }],
  ['a device confirmed it', [push('mailStored'), push('mailEnded', { outcome: 'acknowledged' })], { key: 'acknowledged' }],
  ['the next attempt waits', [...asked, push('attemptBegan'), push('retryScheduled', { reason: '503', until: 'T' })], { key: 'retry', reason: '503', at: 'T' }],
  ['its lane is open', [...asked, push('attemptBegan'), push('attemptReturned', { reason: 'lane' })], { key: 'laneOpen', reason: '20 failures', at: 'P' }, { laneState: 'open', why: '20 failures', nextProbeAt: 'P' }],
  ['its lane is given up', asked, { key: 'laneOff', reason: '403' }, { laneState: 'off', why: '403' }],
  ['its lane works, and it waits behind another', asked, { key: 'waits', reason: 'another' }, { laneState: 'closed', why: 'another' }],
  ['it is with the provider', [...asked, push('attemptBegan')], { key: 'underWay' }],
  ['the device has ended', ended('unregistered', { reason: '410' }), { key: 'deviceEnded', reason: '410', kind: 'bad' }],
  ['the device has ended, as its queue knows', asked, { key: 'deviceEnded', reason: '410' }, { endedBecause: '410' }],
  ['only the device is known, and has ended', [{ kind: 'device', id: 'd', event: 'registered' }, { kind: 'device', id: 'd', event: 'ended', reason: 'replaced' }], { key: 'deviceEnded', reason: 'replaced', device: 'd' }],
  ['its time was over', ended('expired'), { key: 'expired' }],
  ['its time was over, and it is kept', ended('expired', { deadLetter: true }), { key: 'deadLetter', outcome: 'expired' }],
  ['a newer one took its place', ended('collapsed'), { key: 'collapsed' }],
  ['the queue was full', ended('overflowed'), { key: 'full' }],
  ['it was refused', ended('refused', { reason: '400' }), { key: 'refused', reason: '400', outcome: 'refused' }],
  ['it is a dead letter', ended('refused', { reason: '413', deadLetter: true }), { key: 'deadLetter', reason: '413', kind: 'bad' }],
  ['a dead letter was dropped', [...ended('failed', { deadLetter: true }), push('deadLetterDropped')], { key: 'letterDropped', outcome: 'failed' }],
  ['a dead letter was put back', [...ended('failed', { deadLetter: true }), push('deadLetterRetried')], { key: 'waits' }],
  ['a dead letter arrived at last', [...ended('failed', { deadLetter: true }), push('deadLetterRetried'), push('settled', { outcome: 'delivered' })], { key: 'delivered' }],
  ['it was erased in the queue', [...asked, { kind: 'push', id: 'd', event: 'erased', outcome: 'erased' }], { key: 'erased' }],
  ['all was erased', [{ event: 'erased' }, chat('erased')], { key: 'erased' }],
  ['no device is registered', [chat('started'), chat('customerAbsent'), chat('pushRequested', { message: 'm', detail: true })], { key: 'noDevice', kind: 'bad' }],
  ['a request has nobody to tell', [{ kind: 'request', event: 'commentAdded' }, { kind: 'request', event: 'notificationSuppressed', reason: 'noDevices' }], { key: 'noDevice' }],
  ['a comment is on the screen', [{ kind: 'request', event: 'notificationSuppressed', reason: 'refreshed' }], { key: 'onScreen' }],
  ['the app is in the foreground', [chat('started'), chat('cometConnected', { detail: true }), chat('linePosted')], { key: 'foreground', kind: 'ok' }],
  ['the app has come back to the foreground', [chat('started'), chat('customerAbsent'), chat('customerReturned'), chat('linePosted')], { key: 'foreground' }],
  ['it is held back', [chat('started'), chat('customerAbsent'), chat('pushDelayStarted', { until: 'U' })], { key: 'heldBack', at: 'U' }],
  ['the customer came back in time', [chat('started'), chat('customerAbsent'), chat('pushDelayStarted', { until: 'U' }), chat('pushDelayCancelled'), chat('customerReturned')], { key: 'cameBack' }],
  ['a newer one is held back', [...ended('delivered'), chat('pushDelayStarted', { until: 'U' })], { key: 'heldBack', at: 'U' }],
  ['the customer came back after one had arrived', [...ended('delivered'), chat('pushDelayStarted', { until: 'U' }), chat('pushDelayCancelled')], { key: 'delivered' }],
  ['nothing was said in the background', [chat('started'), chat('customerAbsent')], { key: 'quiet' }],
  ['it is not in a queue yet', asked.slice(0, 3), { key: 'asked' }],
  ['its device is not connected', [push('mailStored')], { key: 'mail' }],
  ['nobody has pushed to the device', [{ kind: 'device', id: 'd', event: 'registered' }], { key: 'neverAsked' }],
  ['it is about something else', [{ kind: 'console', id: 'x', event: 'signedIn' }], { key: 'none' }],
  ['an outcome of tomorrow', ended('teleported', { reason: 'why not' }), { key: 'refused', outcome: 'teleported' }],
  ['an event of tomorrow changes nothing', [...ended('delivered'), push('polished')], { key: 'delivered' }],
];

for (const [name, entries, expected, queue] of cases) {
  test(`why a push did not arrive: ${name}`, () => {
    const found = verdict(told(...entries), queue);
    for (const [key, value] of Object.entries(expected)) assert.equal(found[key], value, JSON.stringify(found));
    assert.ok(`why.${found.key}` in en);
  });
}

test('what people wrote and what the server says in words decide nothing', () => {
  const entries = told(...ended('delivered')).map((entry) => ({ ...entry, what: 'was refused', text: 'dead letter', who: 'expired' }));
  assert.equal(verdict(entries).key, 'delivered');
});

test('of two pushes the one asked for last is told of', () => {
  const entries = told(...ended('delivered'), chat('pushRequested', { message: 'n' }), push('enqueued', { message: 'n' }), push('settled', { outcome: 'delivered' }));
  assert.equal(lastPush(entries).message, 'n');
  assert.equal(verdict(entries).key, 'waits');
});

test('places in a picture rise with the time, and neither hours nor milliseconds vanish', () => {
  const places = spread([0, 1, 5, 5, 1000, 86400000]);
  assert.equal(places[0], 0);
  assert.equal(places.at(-1), 1);
  for (const [index, place] of places.entries()) if (index) assert.ok(place - places[index - 1] > 0.05);
  assert.deepEqual(spread([7]), [0.5]);
  assert.deepEqual(spread([]), []);
  // A clock that was set back does not draw backwards.
  assert.ok(spread([10, 5, 20]).every((place, index, all) => !index || place > all[index - 1]));
});

test('each entry has a lane and a tone, also one of tomorrow', () => {
  for (const [entry, lane] of [[chat('linePosted'), 'chat'], [chat('customerAbsent'), 'app'], [{ kind: 'comet', event: 'opened' }, 'app'], [push('enqueued'), 'queue'], [push('settled'), 'provider'], [{ event: 'started' }, 'chat'], [{ kind: 'new', event: 'x' }, 'chat']]) {
    assert.equal(laneOf(entry), lane);
    assert.ok(lanes.includes(lane));
  }
  assert.deepEqual([toneOf(push('settled', { outcome: 'delivered' })), toneOf(push('retryScheduled')), toneOf(push('enqueued', { detail: true })), toneOf(chat('linePosted'))], ['good', 'bad', 'quiet', '']);
});

test('time in the background begins once and lasts to its end', () => {
  const entries = told(chat('started'), chat('customerAbsent'), chat('customerAbsent'), chat('customerReturned'), chat('linePosted'), chat('customerAbsent'), chat('linePosted'));
  assert.deepEqual(absences(entries), [[1, 3], [5, 6]]);
});

test('a chain says how many records stand between two that are shown', () => {
  assert.deepEqual(chain([{ position: 4 }, { position: 5 }, { position: 9 }]).map(({ gap }) => gap), [0, 0, 3]);
  assert.deepEqual(chain([]), []);
});

test('what somebody types is asked for as what it looks like, and then as all else', () => {
  const first = (text) => questions(text)[0];
  assert.deepEqual(first(' chat:412-a '), { entity: 'chat:412-a' });
  assert.deepEqual(first('#17'), { entity: 'request:17' });
  assert.deepEqual(first('66712b7e-a7f4-8b9b-9f83-c73ee9816df1'), { message: '66712b7e-a7f4-8b9b-9f83-c73ee9816df1' });
  assert.deepEqual(first('1-509dddf4/2'), { message: '1-509dddf4/2' });
  assert.deepEqual(first('cd48dc24495b3e78133daa4c0aa55d3c'), { entity: 'push:cd48dc24495b3e78133daa4c0aa55d3c' });
  assert.deepEqual(questions('mia@example.org'), [{ subject: 'mia@example.org' }, { message: 'mia@example.org' }]);
});

const { news, pushText } = await load('demo/transcript.js');
const { words } = await load('demo/words.js');

test('the phone takes each event once, and sees a gap', () => {
  const tuple = (text) => ['Message.Text', 'Anna', text, '0', 'AGENT'];
  const message = (transcriptPosition, ...texts) => ({ transcriptPosition, transcriptToShow: texts.map(tuple) });
  const texts = (position, message) => news(position, message).events.map(({ position, text }) => `${position} ${text}`);
  assert.deepEqual(texts(0, message('2', 'a', 'b')), ['1 a', '2 b']);
  assert.deepEqual(texts(1, message('3', 'b', 'c')), ['2 b', '3 c']);
  assert.deepEqual(texts(1, message('3', 'a', 'b', 'c')), ['2 b', '3 c']);
  assert.deepEqual(texts(3, message('3', 'b', 'c')), []);
  assert.equal(news(3, message('3', 'b', 'c')).isGap, false);
  assert.equal(news(2, message('3', 'c')).isGap, false);
  assert.equal(news(1, message('3', 'c')).isGap, true);
  assert.deepEqual(news(4, { transcriptPosition: '4' }), { isGap: false, events: [] });
  assert.equal(news(4, { transcriptPosition: '6' }).isGap, true);
});

test('a push shows what was said last, else its own words, whatever it is', () => {
  assert.equal(pushText('{"message":"New message","lastTranscript":[{"Message.Text":"a"},{"Message.Text":"b"}]}'), 'b');
  assert.equal(pushText('{"message":"New message","lastTranscript":[]}'), 'New message');
  assert.equal(pushText('{"message":"New message"}'), 'New message');
  assert.equal(pushText('no JSON'), 'no JSON');
});

test('the phone has each of its words in every language', async () => {
  const { readFile } = await import('node:fs/promises');
  const text = await readFile(new URL('demo/phone.js', pages), 'utf8');
  const keys = [...text.matchAll(/\b(?:t|key|field)\('(\w+)'/g)].map(([, key]) => key);
  assert.ok(keys.length > 10);
  for (const language of ['en', 'de']) for (const key of keys) assert.ok(words(language)(key, { name: 'Anna' }), `${language} ${key}`);
  assert.equal(words('de')('joined', { name: 'Anna' }), 'Anna ist da');
});

test('readings go one at a time; who asks or hears of something meanwhile has one more, and the last answer is the newest', async () => {
  const answers = [];
  let begun = 0;
  const read = reading(() => new Promise((resolve) => answers.push(resolve, (begun += 1))));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  read.heard();
  const first = read();
  await settle();
  assert.equal(begun, 1, 'what was heard before needs no second one');
  assert.equal(read(), first);
  read();
  read.heard();
  await settle();
  assert.equal(begun, 1, 'one at a time');
  answers.shift()();
  answers.shift();
  await settle();
  assert.equal(begun, 2, 'one more, however many have asked');
  answers.shift()();
  await first;
  assert.equal(begun, 2);
});

test('a reading that fails says so, and the next one is a new one', async () => {
  let count = 0;
  const read = reading(() => {
    count += 1;
    if (count === 1) throw new Error('first');
    return Promise.resolve();
  });
  await assert.rejects(read(), /first/);
  await read();
  assert.equal(count, 2);
});
