// The console's pure modules: `node --test Tests/Console/PagesTests`.
import assert from 'node:assert/strict';
import test from 'node:test';

const pages = new URL('../../../Sources/Console/Pages/', import.meta.url);
const load = (name) => import(new URL(name, pages));
const { merge, stillUnsent } = await load('agent/transcript.js');
const { EventParser, backOff } = await load('core/sse.js').catch(() => ({}));
const { clock, short, setServerDate, now } = await load('core/time.js');
const { parse, sum } = await load('operator/metrics.js');
const en = (await load('i18n/en.js')).default;
const de = (await load('i18n/de.js')).default;

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

test('Prometheus text is read with its labels', () => {
  const metrics = parse('# HELP a b\na{status="5xx",surface="x\\"y"} 2\na{status="2xx"} 3\nb 1.5\n');
  assert.equal(sum(metrics, 'a', ({ status }) => status === '5xx'), 2);
  assert.equal(metrics[0].labels.surface, 'x"y');
});

test('events are cut from a stream wherever it breaks', { skip: !EventParser }, () => {
  const parser = new EventParser();
  const events = [...'id: 7\nevent: line\ndata: {"a":1}\n\n: quiet\n\n'].flatMap((one) => parser.push(one));
  assert.deepEqual(events, [{ name: 'line', id: '7', data: '{"a":1}' }]);
  assert.ok(backOff(30, 1) <= 15000);
});
