/** How the server is: ready, journal, disk, errors, and the last hour as plots. */

import { get, ifThere } from '../core/api.js';
import { h, replace } from '../core/dom.js';
import { bytes, number, t } from '../core/i18n.js';
import { attempt } from '../core/live.js';
import { short } from '../core/time.js';
import { facts, head } from '../ui/parts.js';
import { plot } from '../ui/plot.js';
import { tile } from '../ui/tile.js';
import { latest, sampled, series, startSampling } from './samples.js';

export function screen() {
  const tiles = h('div.tiles');
  const plots = h('div.columns');
  const more = h('div.columns');
  let overview = null;
  startSampling();

  async function ask() {
    overview = (await attempt(() => ifThere(get('/admin/1/overview')))) ?? null;
    draw();
  }

  function draw() {
    const now = latest();
    if (!now) return;
    replace(tiles, tilesOf(now));
    replace(plots, plot(t('plot.requests'), series('requests', true), perSecond), plot(t('plot.errors'), series('errors', true), perSecond),
      plot(t('plot.connections'), series('connections'), number), plot(t('plot.deadLetters'), series('deadLetters'), number));
    replace(more, overview ? Object.entries(overview).filter(([, value]) => value && typeof value === 'object' && !Array.isArray(value)).map(group) : null);
  }

  const unlisten = sampled.on(ask);
  ask();
  return { node: h('div.page', {}, head(t('screen.overview')), tiles, plots, more), dispose: unlisten };
}

const perSecond = (value) => `${new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }).format(value)}/s`;

/** Figures of the server's own overview, as they are called there. */
const group = ([name, members]) => h('section.card', {}, h('h2', {}, name), facts(Object.entries(members).map(([key, value]) => [key, figure(key, value)])));

function figure(key, value) {
  if (value === null || typeof value === 'object') return value && h('code', {}, JSON.stringify(value));
  if (/bytes$/i.test(key)) return bytes(value);
  if (/milliseconds$/i.test(key)) return `${number(value)} ms`;
  if (/seconds$/i.test(key)) return short(value * 1000);
  return typeof value === 'number' ? number(value) : String(value);
}

function tilesOf({ values, isReady }) {
  const value = (name) => values[name];
  const full = value('journal_storage_full') > 0;
  return [
    tile(t('server'), t(isReady ? 'isReady' : 'isNotReady'), null, isReady ? 'ok' : 'bad'),
    tile(t('disk'), t(full ? 'disk.full' : 'disk.ok'), null, full ? 'bad' : 'ok'),
    value('snapshot_position') !== undefined ? tile(t('snapshot'), number(value('snapshot_position')), bytes(value('snapshot_bytes') ?? 0), value('snapshot_failures_total') ? 'warn' : '') : null,
    tile(t('screen.dead-letters'), number(value('push_dead_letters') ?? 0), null, value('push_dead_letters') ? 'warn' : ''),
    tile(t('agents.ready'), number(value('agents_ready') ?? 0), t('agents.free', { n: value('agents_free') ?? 0 })),
    tile(t('callbacks.waiting'), number(value('callbacks_waiting') ?? 0), value('callbacks_oldest_seconds') ? short(value('callbacks_oldest_seconds') * 1000) : null),
    tile(t('connections'), number(value('http_connections') ?? 0), t('heldPolls', { n: value('http_held_polls') ?? 0 })),
    tile(t('awake'), number(value('entities_awake') ?? 0)),
  ];
}
