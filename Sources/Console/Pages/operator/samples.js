/** What `/metrics` said in the last hour, as long as somebody looks: taken by the page, kept over reloads of its tab. */

import { get, request } from '../core/api.js';
import { Emitter } from '../core/emitter.js';
import { readTab, writeTab } from '../core/storage.js';
import { now } from '../core/time.js';
import { session } from '../core/session.js';
import { parse, sum } from './metrics.js';

/** Milliseconds between two samples, and how many are an hour. */
const every = 10000;
const kept = 360;

export const sampled = new Emitter();
let samples = JSON.parse(readTab('samples') ?? '[]');
let last = null;
let timer = null;

/** `{values, isReady}` of the last look, or null. */
export const latest = () => last;

export function startSampling() {
  if (timer) return;
  const take = async () => {
    if (!session) return;
    const [text, isReady] = await Promise.all([get('/metrics').catch(() => null), request('GET', '/health/ready').then(() => true, () => false)]);
    if (text !== null) keep(parse(text), isReady);
  };
  timer = setInterval(take, every);
  take();
}

function keep(metrics, isReady) {
  const values = Object.fromEntries(metrics.filter((one) => !Object.keys(one.labels).length).map((one) => [one.name.replace(/^carillon_/, ''), one.value]));
  last = { values, isReady };
  const is = (status) => (labels) => labels.status?.startsWith(status);
  samples = [...samples, {
    time: now(), requests: sum(metrics, 'carillon_http_responses_total'), errors: sum(metrics, 'carillon_http_responses_total', is('5')),
    connections: values.http_connections ?? 0, deadLetters: values.push_dead_letters ?? 0,
  }].slice(-kept);
  writeTab('samples', JSON.stringify(samples));
  sampled.tell(last);
}

/** One figure over time; `isCounter`: how fast it rises, in a second. A counter that fell began anew with its server. */
export function series(name, isCounter = false) {
  if (!isCounter) return samples.map((sample) => ({ time: sample.time, value: sample[name] }));
  return samples.slice(1).map((sample, index) => {
    const before = samples[index];
    const rise = sample[name] >= before[name] ? sample[name] - before[name] : sample[name];
    return { time: sample.time, value: (rise * 1000) / Math.max(1, sample.time - before.time) };
  });
}
