/** How the server is: ready, journal, disk, errors, and the last hour as plots. */

import { attempt, bytes, get, h, head, language, number, replace, short, t, table, to } from '../ui/kit.js';
import { plot } from '../ui/plot.js';
import { tile } from '../ui/tile.js';

/** The server takes a sample as often, in milliseconds. */
const every = 10000;

export function screen() {
  const [tiles, plots, tables] = [h('div.tiles'), h('div.columns'), h('div.columns')];

  async function load() {
    const one = document.visibilityState === 'visible' && (await attempt(() => get('/admin/1/overview')));
    if (!one) return;
    const series = (value) => one.samples.map((sample) => ({ time: Date.parse(sample.at), value: value(sample) }));
    replace(tiles, tilesOf(one));
    replace(plots, plot(t('plot.commits'), series(({ commits }) => (commits * 1000) / every), perSecond), plot(t('plot.sync'), series(({ syncP99Microseconds: n }) => n / 1000), milliseconds),
      plot(t('plot.errors'), series(({ errors }) => errors), number), plot(t('connections'), series(({ connections }) => connections), number),
      plot(t('plot.waiting'), series(({ devicesWaiting }) => devicesWaiting), number), plot(t('dead'), series(({ deadLetters }) => deadLetters), number));
    const counts = (title, items) => h('section', h('h2', title), items.length ? table(title, [t('kind'), t('count')], items.map(({ kind, count }) => [kind, number(count)])) : h('p.hint', t('errors.none')));
    replace(tables, counts(t('errors.hour'), one.errors.filter(({ count }) => count)), counts(t('entities'), one.entities));
  }

  load();
  const timer = setInterval(load, every);
  return { node: h('div.page', head(t('screen.overview')), tiles, plots, tables), dispose: () => clearInterval(timer) };
}

const digits = (value) => new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value);
const perSecond = (value) => `${digits(value)}/s`;
const milliseconds = (value) => `${digits(value)} ms`;

function tilesOf({ ready, full, version, uptimeSeconds, now, lastMinute, errors }) {
  const failed = errors.reduce((sum, { count }) => sum + count, 0);
  const link = (address, words) => h('a', { href: address }, words);
  return [
    tile(t('server'), t(ready ? 'isReady' : 'isNotReady'), `${version} · ${t('up', { time: short(uptimeSeconds * 1000) })}`, ready ? 'ok' : 'bad'),
    tile(t('journal.head'), link(to('journal'), number(now.position)), lastMinute.commits ? t('overview.sync', { p50: milliseconds(lastMinute.syncMedianMicroseconds / 1000), p99: milliseconds(lastMinute.syncP99Microseconds / 1000) }) : t('overview.quiet')),
    tile(t('disk'), now.bytesLeft === undefined ? '–' : bytes(now.bytesLeft), full ? t('disk.full') : null, full ? 'bad' : ''),
    tile(t('snapshot'), now.snapshotAgeSeconds === undefined ? '–' : t('old', { time: short(now.snapshotAgeSeconds * 1000) })),
    tile(t('errors.hour'), number(failed), null, failed ? 'warn' : ''),
    tile(t('dead'), link(to('dead-letters'), number(now.deadLetters)), null, now.deadLetters ? 'warn' : ''),
    tile(t('queues'), link(to('dead-letters', 'waiting'), number(now.devicesWaiting)), now.lanesOpen ? t('overview.lanes', { n: now.lanesOpen }) : null, now.lanesOpen ? 'warn' : ''),
    tile(t('connections'), number(now.connections), `${t('heldPolls', { n: now.heldPolls })} · ${t('overview.devices', { n: now.devices })}`),
    tile(t('chats'), number(now.chats), t('overview.comet', { n: now.cometSessions })),
  ];
}
