/** Why a push did not arrive: the story of a customer, a device or a message, and what it comes to. */

import { announce, asking, attempt, badge, empty, Failure, field, get, go, h, head, language, moment, number, replace, request, s, seg, short, t, to, toggle, withQuery } from '../ui/kit.js';
import { tail } from '../core/tail.js';
import { absences, isMasked, lanes, laneOf, questions, spread, toneOf } from './story.js';
import { verdict } from './verdict.js';

/** Entries that are kept: the latest. */
const kept = 2000;
/** Entries in the picture: more would be a smear. */
const drawn = 120;
/** A longer pause than this, in milliseconds, is a line of its own. */
const silence = 60000;

export function screen(parts) {
  const box = h('input', { name: 'what', required: true, maxlength: 1024, spellcheck: 'false', autocomplete: 'off' });
  const state = h('span.hint', { role: 'status' });
  const answer = h('div.page-part');
  const ask = () => {
    const text = box.value.trim();
    if (parts[0] === text) find(text);
    else go('why', text);
  };
  const form = asking(ask, field(t('why.box'), box, t('why.help')));
  let ending = null;
  let withDetails = false;
  let entries = [];
  let queue = null;
  let drawing = null;

  async function find(text) {
    ending?.abort();
    ending = new AbortController();
    const { signal } = ending;
    entries = [];
    replace(answer);
    const found = await attempt(() => firstAnswer(text, signal));
    if (signal.aborted || found === undefined) return;
    state.textContent = '';
    if (!found) return replace(answer, empty(t('why.nothing', { what: text }), t('why.nothing.detail')));
    await judge();
    announce(answer.querySelector('.verdict')?.textContent ?? '');
    tail(withQuery('/admin/1/timeline/stream', { ...found.question, details: true, after: found.head }), {
      signal,
      told: (isOpen) => (state.textContent = t(isOpen ? 'tap.follows' : 'lost')),
      event({ data }) {
        entries = [...entries, data].slice(-kept);
        drawing ??= setTimeout(judge, 300);
      },
    });
  }

  /** The first of the questions that the journal has something of, read to its end. */
  async function firstAnswer(text, signal) {
    for (const question of questions(text)) {
      const head = await readAll(question, signal).catch((error) => {
        // Not a kind of entity, or nothing known of it: it is something else.
        if (!(error instanceof Failure) || ![400, 404].includes(error.status)) throw error;
        return null;
      });
      if (head !== null && entries.length) return { question, head };
    }
    return null;
  }

  async function readAll(question, signal) {
    for (let after = null; ; ) {
      const page = await request('GET', withQuery('/admin/1/timeline', { ...question, details: true, limit: 500, after }), undefined, { signal });
      entries = entries.concat(page.data).slice(-kept);
      const [searched, head] = ['Journal-Searched', 'Journal-Head'].map((name) => Number(page.headers.get(name)));
      state.textContent = t('why.reads', { n: number(searched), of: number(head) });
      if (!page.next) return head;
      after = page.next;
    }
  }

  /** What the lane does now is in no journal: the queue says it. */
  async function judge() {
    const { device } = verdict(entries);
    queue = device ? await get(`/admin/1/queues/${seg(device)}`).catch(() => null) : null;
    drawing = null;
    draw();
  }

  function draw() {
    const shown = entries.filter((entry) => withDetails || !entry.detail || entry.kind === 'push');
    const more = toggle(t('why.details'), withDetails, ({ target }) => {
      withDetails = target.checked;
      draw();
      answer.querySelector('[role="switch"]').focus();
    });
    replace(answer, conclusion(verdict(entries, queue)), picture(shown.slice(-drawn)), h('div.row-top', h('h2', t('story')), more), h('ol.story', lines(shown)));
  }

  function update(next) {
    parts = next;
    if (!parts[0]) return;
    box.value = parts[0];
    find(parts[0]);
  }

  update(parts);
  return {
    node: h('div.page', head(t('screen.why'), state), form, answer),
    update,
    shown: () => parts[0] || box.focus(),
    dispose() {
      ending?.abort();
      clearTimeout(drawing);
    },
  };
}

function conclusion({ key, kind, reason, at, outcome, message, device }) {
  const words = t(`why.${key}`, { at: at ? moment(at, language) : '–', outcome: outcome ? t(`outcome.${outcome}`) : '' });
  const ways = [device && [to('devices', device), 'device'], key === 'deadLetter' && [to('dead-letters', device), 'screen.dead-letters'], key.startsWith('lane') && [to('lanes'), 'screen.lanes'], device && [to('journal', `push:${device}`), 'screen.journal']];
  return h(`div.verdict.${kind}`, { role: 'status' }, h('p', words, reason ? [' ', h('q', { dir: 'auto' }, reason)] : null),
    h('div.actions', message && h('small', message), ways.filter(Boolean).map(([address, name]) => h('a', { href: address }, t(name)))));
}

const [width, lane, foot] = [960, 46, 22];
const left = 96;

const ofDay = (time) => new Date(time).toLocaleTimeString(language);

/** Lanes in time; the list behind it says the same in words. */
function picture(entries) {
  if (entries.length < 2) return null;
  const places = spread(entries.map((entry) => Date.parse(entry.time)));
  const x = (index) => (left + 10 + places[index] * (width - left - 24)).toFixed(1);
  const y = (entry) => lane * (lanes.indexOf(laneOf(entry)) + 0.5);
  const bottom = lane * lanes.length;
  const ticks = entries.map((entry, index) => index).filter((index) => !index || index === entries.length - 1 || places[index] - places[index - 1] > 0.12);
  return h('div.table', { role: 'region', 'aria-label': t('why.picture'), tabindex: '0' }, s('svg.band', { viewBox: `0 0 ${width} ${bottom + foot}`, role: 'img', 'aria-label': t('why.picture.words', { n: entries.length }) },
    absences(entries).map(([from, until]) => s('rect.away', { x: x(from), y: 4, width: Math.max(2, x(until) - x(from)), height: lane - 8, rx: 6 }, s('title', t('phase.background')))),
    lanes.map((name, index) => [s('line.lane', { x1: left, x2: width, y1: lane * (index + 0.5), y2: lane * (index + 0.5) }), s('text', { x: 4, y: lane * (index + 0.5) + 4 }, t(`why.lane.${name}`))]),
    s('polyline.path', { points: entries.map((entry, index) => (entry.message ? `${x(index)},${y(entry)}` : null)).filter(Boolean).join(' ') }),
    entries.map((entry, index) => s(`circle.dot${toneOf(entry) && `.is-${toneOf(entry)}`}`, { cx: x(index), cy: y(entry), r: entry.detail ? 4 : 6 }, s('title', `${moment(entry.time, language)} ${entry.who} ${entry.what} ${entry.text ?? ''}`))),
    ticks.map((index) => s('text', { x: x(index), y: bottom + 14, 'text-anchor': index ? (index === entries.length - 1 ? 'end' : 'middle') : 'start' }, ofDay(entries[index].time)))));
}

/** Where it stands in the journal. */
function origin({ kind, id, position }) {
  if (!kind) return t('server');
  const words = `${kind} ${id.slice(0, 12)} · ${position}`;
  return isMasked(id) ? words : h('a', { href: to('journal', `${kind}:${id}`, position) }, words);
}

function lines(entries) {
  return entries.map((entry, index) => {
    const pause = index ? Date.parse(entry.time) - Date.parse(entries[index - 1].time) : 0;
    const tone = toneOf(entry);
    return [
      pause > silence ? h('li.pause', h('span'), h('span'), h('small', t('silence', { time: short(pause) }))) : null,
      h(`li${tone && `.is-${tone}`}`, {}, h('time', { datetime: entry.time, title: moment(entry.time, language) }, ofDay(entry.time)), h('span.rail', { 'aria-hidden': 'true' }),
        h('div.told', { dir: 'auto' }, h('strong', entry.who), ' ', entry.what, entry.text ? [' ', h('q', entry.text)] : null, ' ', entry.outcome ? badge(t(`outcome.${entry.outcome}`), tone === 'good' ? 'ok' : tone) : null, h('br'),
          h('small', origin(entry)))),
    ];
  });
}
