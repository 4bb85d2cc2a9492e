/** Why did this push not arrive? One box, a picture in time, one plain sentence. */

import { list, ifThere } from '../core/api.js';
import { h, replace, s } from '../core/dom.js';
import { language, t, term } from '../core/i18n.js';
import { attempt } from '../core/live.js';
import { go } from '../core/router.js';
import { moment, short, timeOfDay } from '../core/time.js';
import { badge, empty, field, head, notOffered, select, worker } from '../ui/parts.js';
import { gapMinimum, mood, verdict } from './story.js';

/** Entries that are asked for at a time. */
const page = 200;

export function screen(parts) {
  const kind = select(['subject', 'device', 'message', 'chat', 'callback', 'request', 'entity'].map((id) => [id, t(`why.${id}`)]), { name: 'kind' });
  const text = h('input', { name: 'q', type: 'search', required: true, maxlength: 1024, autocomplete: 'off', spellcheck: 'false' });
  const answer = h('div.page-part', { 'aria-live': 'polite' });
  const form = h('form.form-row', { role: 'search', onsubmit: ask }, field(t('why.what'), kind), field(t('why.which'), text, t('why.help')), h('button.button.primary', { type: 'submit' }, t('why.ask')));

  function ask(event) {
    event.preventDefault();
    const wanted = [kind.value, text.value.trim()];
    if (location.hash === `#/why/${wanted.map(encodeURIComponent).join('/')}`) update(wanted);
    else go('why', ...wanted);
  }

  async function update([wanted, id]) {
    if (!id) return replace(answer);
    kind.value = wanted;
    text.value = id;
    replace(answer, h('p.hint', { role: 'status' }, t('why.reading')));
    await read(queryOf(wanted, id), [], null);
  }

  async function read(query, before, after) {
    let entries = before;
    const found = await attempt(async () => {
      let part;
      // A page may be empty and say all the same where the search goes on.
      for (let turns = 0; turns < 60; turns++) {
        part = await ifThere(list('/admin/1/timeline', { ...query, limit: page, after }));
        if (!part) return entries.length || turns ? { next: null } : null;
        entries = entries.concat(part.data);
        after = part.next;
        if (!after || entries.length - before.length >= page) break;
      }
      return part;
    });
    if (found === undefined) return replace(answer);
    if (found === null) return replace(answer, h('p.verdict', {}, t('why.nothing')), notOffered());
    replace(answer, tell(entries, found.next ? () => read(query, entries, found.next) : null));
  }

  update(parts);
  return { node: h('div.page', {}, head(t('why.title')), h('p.hint', {}, t('why.lead')), form, answer), update, shown: () => text.focus() };
}

function queryOf(kind, id) {
  if (kind === 'subject' || kind === 'message') return { [kind]: id };
  const names = { chat: 'chat', device: 'device', callback: 'callback', request: 'support-request' };
  return { entity: kind === 'entity' ? id : `${names[kind]}:${id}` };
}

function tell(entries, more) {
  const { key, values } = verdict(entries);
  const sentence = t(key, { ...values, time: values.time && moment(values.time, language) });
  if (!entries.length) return empty(sentence);
  return [h('p.verdict', {}, sentence), band(entries), h('ol.story', {}, entries.map((entry, index) => [gap(entries[index - 1], entry), line(entry)])), more ? worker(t('more'), more) : null];
}

function gap(before, entry) {
  const silence = before ? Date.parse(entry.time) - Date.parse(before.time) : 0;
  return silence >= gapMinimum ? h('li', {}, h('span'), h('span.rail.gap-rail'), h('span.gap', {}, t('silence', { time: short(silence) }))) : null;
}

function line(entry) {
  const feeling = mood(entry);
  return h(`li${feeling && `.is-${feeling}`}`, {}, h('time', { datetime: entry.time, title: moment(entry.time, language) }, new Date(entry.time).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit', second: '2-digit' })), h('span.rail', { 'aria-hidden': 'true' }),
    h('div.told', {}, h('strong', { dir: 'auto' }, entry.who), ' ', entry.what ?? '', entry.text ? [' ', h('q', { dir: 'auto' }, entry.text)] : null, ' ', entry.kind ? badge(term('entity', entry.kind)) : null, ' ', spans(entry), h('small', {}, ` #${entry.position}`)));
}

const spans = (entry) => Object.entries(entry).filter(([name]) => name.endsWith('Milliseconds')).map(([name, value]) => [badge(`${term('span', name.replace('Milliseconds', ''))} ${value < 1000 ? `${value} ms` : short(value)}`, 'info'), ' ']);

/** All of it on one line of time for each kind of thing. */
function band(entries) {
  const kinds = [...new Set(entries.map((entry) => entry.kind ?? 'server'))];
  const [first, last] = [Date.parse(entries[0].time), Date.parse(entries.at(-1).time)];
  const [width, row, start] = [800, 24, 150];
  const x = (time) => start + ((Date.parse(time) - first) / Math.max(1, last - first)) * (width - start - 12);
  const y = (kind) => 14 + kinds.indexOf(kind ?? 'server') * row;
  const height = kinds.length * row + 18;
  return s('svg.band', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': t('why.picture', { from: moment(first, language), to: moment(last, language) }) },
    kinds.map((kind) => [s('text', { x: 0, y: y(kind) + 4 }, term('entity', kind)), s('line.lane', { x1: start, y1: y(kind), x2: width - 12, y2: y(kind) })]),
    entries.map((entry) => s(`circle.dot${mood(entry) && `.is-${mood(entry)}`}`, { cx: x(entry.time).toFixed(1), cy: y(entry.kind), r: 5 })),
    s('text', { x: start, y: height - 2 }, timeOfDay(first, language)), s('text', { x: width - 12, y: height - 2, 'text-anchor': 'end' }, timeOfDay(last, language)));
}
