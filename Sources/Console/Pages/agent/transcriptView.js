/** The lines of a chat on the screen. */

import { badge, bytes, dayKey, dayWord, h, language, linked, moment, outside, reconcile, seg, t, term, timeOfDay, worker } from '../ui/kit.js';
import { desk } from './desk.js';
import { isTyping, lineKey } from './transcript.js';
import { lineWords, outcomeKind, outcomeWords } from './words.js';

/** As near to the end as this, in pixels, the view follows what comes. */
const nearEnd = 80;

/** @param {{chatId: string, chat: object, lines: object[], hasEarlier: boolean}} view */
export function transcriptView(view, loadEarlier) {
  const earlier = worker(t('earlier'), loadEarlier);
  const list = h('ol.lines');
  const node = h('div.transcript', { role: 'log', 'aria-label': t('transcript'), tabindex: '0' }, h('div.earlier', earlier), list);
  let isFirst = true;

  const isAtEnd = () => node.scrollHeight - node.scrollTop - node.clientHeight < nearEnd;
  const toEnd = () => (node.scrollTop = node.scrollHeight);

  function draw() {
    const follows = isFirst || isAtEnd();
    const height = node.scrollHeight;
    const first = list.firstElementChild?.dataset.key;
    earlier.hidden = !view.hasEarlier;
    reconcile(list, rows(view), (row) => row.key, (row, old) => (old && old.dataset.state === row.state ? old : element(row, view)));
    if (follows && view.lines.length) {
      toEnd();
      isFirst = false;
    } else if (first && list.firstElementChild?.dataset.key !== first) node.scrollTop += node.scrollHeight - height;
  }

  return { node, draw, toEnd };
}

/** Lines with the days between them. `state` says when a row has to be drawn anew. */
function rows(view) {
  const all = [];
  let day = null;
  let before = null;
  const nickname = desk.nickname(view.chat);
  for (const line of view.lines) {
    if (isTyping(line)) continue;
    if (dayKey(line.time) !== day) {
      day = dayKey(line.time);
      before = null;
      all.push({ key: `d${day}`, state: '', day: line.time });
    }
    const outcome = line.push ?? desk.outcome(view.chatId, line.position);
    const goesOn = before !== null && isBubble(before) && isBubble(line) && before.nickname === line.nickname && before.role === line.role && isNote(before) === isNote(line);
    const isMine = line.role !== 'CLIENT' && line.nickname === nickname;
    all.push({ key: lineKey(line), state: `${goesOn}|${isMine}|${outcome ? `${outcome.outcome}|${outcome.time}` : ''}`, line, goesOn, isMine, outcome });
    before = line;
  }
  return all;
}

export const isNote = (line) => line.visibility === 'agent' && line.type === 'Message.Text';
const isBubble = (line) => line.type.startsWith('Message') || line.type === 'Notice.PushUrl' || isNote(line) || /File/.test(line.type);

function element(row, view) {
  const one = row.day ? h('li.day', h('span', dayWord(row.day, language))) : isBubble(row.line) ? bubble(row, view) : system(row.line);
  one.dataset.state = row.state;
  return one;
}

const time = (line) => h('time', { datetime: line.time, title: moment(line.time, language) }, timeOfDay(line.time, language));

const system = (line) => h('li.system', h('span', { dir: 'auto' }, lineWords(line)), time(line));

function bubble({ line, goesOn, isMine, outcome }, view) {
  const side = line.role === 'CLIENT' ? 'theirs' : 'ours';
  const note = isNote(line);
  return h(`li.line.${side}${note ? '.note' : ''}${goesOn ? '.goes-on' : ''}`, {},
    h('div.line-head', h('strong', { dir: 'auto' }, isMine ? t('you') : line.nickname || term('role', line.role.toLowerCase())), line.role === 'SUPERVISOR' && !isMine ? badge(term('role', 'supervisor')) : null,
      note ? badge(t(line.role === 'SUPERVISOR' ? 'whisper' : 'note'), 'warn') : null, time(line)),
    h('div.bubble', { dir: 'auto' }, content(line, view)),
    outcome ? h('div.outcome', badge(`${t('push')}: ${outcomeWords(outcome.outcome)}`, outcomeKind(outcome.outcome)), outcome.time ? h('small', timeOfDay(outcome.time, language)) : null) : null);
}

function content(line, { path }) {
  if (line.file) return file(line.file, path);
  return line.type === 'Notice.PushUrl' ? outside(line.text) : linked(line.text);
}

/**
 * A file that the server keeps: a picture if it is one, else a link. It is asked for where this page is from, because the
 * session is good there: its `url` names the host that its sender has used.
 */
function file({ id, name, type, size }, path) {
  const address = `${path}/file/${seg(id)}`;
  const shown = /^image\/(png|jpeg|gif|webp)$/.test(type) ? h('img', { src: address, alt: name, loading: 'lazy' }) : h('span', `${name} (${bytes(size)})`);
  return h('a', { href: address, target: '_blank', rel: 'noopener' }, shown);
}
