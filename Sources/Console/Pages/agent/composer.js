/** Where an agent writes: to the customer, or a note for colleagues. */

import { announce, attempt, button, Failure, h, iconButton, may, now, post, replace, t, toast, withQuery } from '../ui/kit.js';
import { draft, keepDraft, keepUnsent, unsent } from '../core/drafts.js';
import { cannedMenu } from './canned.js';
import { desk } from './desk.js';
import { lastPosition, stillUnsent } from './transcript.js';

/** Bytes of a message that the server takes, about. */
const textMaximum = 16000;
/** The server is told that one types at most so often, in milliseconds. */
const typingEvery = 5000;
/** After this, in milliseconds, it is asked whether what got no answer has come. */
const recheckAfter = 2000;

/** @param {{posted: (line: object) => void, act: (name: string) => void, recheck: () => Promise<boolean>}} options `recheck` reads the transcript. */
export function composer(view, { posted, act, recheck }) {
  const { chatId, path } = view;
  const text = h('textarea', { rows: 2, 'aria-label': t('message'), maxlength: textMaximum, dir: 'auto', oninput: changed, onkeydown: pressed });
  const waiting = h('ul.unsent', { 'aria-label': t('unsent') });
  const modes = h('div.modes', { role: 'group', 'aria-label': t('mode') });
  const send = button(t('send'), () => submit(), { kind: 'primary', symbol: 'send' });
  const link = iconButton('link', t('act.link'), () => act('link'));
  const picked = h('input', { type: 'file', hidden: true, 'aria-label': t('act.file'), onchange: () => sendFiles(picked.files) });
  const clip = iconButton('clip', t('act.file'), () => picked.click());
  const canned = cannedMenu(text, () => view.chat, changed);
  const hint = h('p.hint', t('composer.hint'));
  const node = h('form.composer', { onsubmit: (event) => event.preventDefault(), ondragover: dragged, ondrop: dragged }, waiting, modes, canned.node, text, h('div.composer-foot', hint, picked, clip, link, send));
  let mode = 'say';
  let toldTyping = 0;
  let sent = unsent(chatId);
  let isSending = false;
  let soon;
  text.value = draft(chatId);

  const isMine = (line) => line.role !== 'CLIENT' && line.nickname === desk.nickname(view.chat);

  function changed() {
    keepDraft(chatId, text.value);
    canned.look();
    grow();
    if (mode === 'say' && text.value && desk.isMine(view.chat) && Date.now() - toldTyping > typingEvery) {
      toldTyping = Date.now();
      post(`${path}/typing`, { started: true }).catch(() => {});
    }
  }

  function grow() {
    text.rows = Math.min(10, Math.max(2, text.value.split('\n').length));
  }

  function pressed(event) {
    if (canned.pressed(event)) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit();
    } else if (event.key === 'Escape') text.blur();
  }

  function submit() {
    const words = text.value.trim();
    if (!words) return;
    text.value = '';
    keepDraft(chatId, '');
    grow();
    toldTyping = 0;
    sent = [...sent, { text: words, mode, after: lastPosition(view.lines), key: `${Date.now()}-${sent.length}` }];
    keepUnsent(chatId, sent);
    drawUnsent();
    flush();
  }

  /** Sends what waits, one after the other; what got no answer stays until it is known whether it has come. */
  async function flush() {
    if (isSending) return;
    isSending = true;
    try {
      while (sent.length) {
        const message = sent[0];
        const line = await deliver(path, message, view.chat);
        settled(message);
        if (line) posted(line);
      }
    } catch (error) {
      if (error.status === 401) return;
      if (error.status === 0 || error.status === 503) return recheckSoon();
      giveBack(sent[0]);
      toast(error instanceof Failure ? error.words : t('error.page'), 'error');
    } finally {
      isSending = false;
      drawUnsent();
    }
  }

  /** Its line comes with the events, as everybody's. */
  async function sendFiles(files) {
    clip.disabled = true;
    for (const file of [...files]) await attempt(() => post(withQuery(`${path}/file`, { name: file.name }), file));
    picked.value = '';
    clip.disabled = false;
  }

  /** Files that are dropped here are sent; texts go where they are dropped. */
  function dragged(event) {
    if (clip.hidden || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    if (event.type === 'drop') sendFiles(event.dataTransfer.files);
  }

  /** Nobody knows whether it has come: the transcript is asked before it is sent again. */
  function recheckSoon() {
    clearTimeout(soon);
    soon = setTimeout(async () => {
      if (!(await recheck()) && sent.length) recheckSoon();
    }, recheckAfter);
  }

  function settled(message) {
    sent = sent.filter((one) => one !== message);
    keepUnsent(chatId, sent);
  }

  /** Refused: the words go back to where they were written. */
  function giveBack(message) {
    settled(message);
    text.value = text.value ? `${message.text}\n${text.value}` : message.text;
    keepDraft(chatId, text.value);
    grow();
  }

  /** The lines are up to date: what is among them has come; the rest is sent again. */
  function settle() {
    if (isSending || !sent.length) return;
    sent = stillUnsent(sent, view.lines, isMine);
    keepUnsent(chatId, sent);
    drawUnsent();
    flush();
  }

  function drawUnsent() {
    replace(waiting, sent.map((message) => h('li', h('span', { dir: 'auto' }, message.text), h('small', t('unsent.waits')))));
  }

  function drawModes() {
    const offered = ['say', 'note', ...(may('supervisor') ? ['whisper'] : [])];
    if (!offered.includes(mode)) mode = 'say';
    replace(modes, offered.length > 1 ? offered.map((name) => h('button', { type: 'button', 'aria-pressed': String(mode === name), onclick: () => choose(name) }, t(`mode.${name}`))) : null);
    node.classList.toggle('is-note', mode !== 'say');
  }

  function choose(name) {
    mode = name;
    drawModes();
    announce(t(`mode.${name}`));
    text.focus();
  }

  let drawnFor = '';

  function draw() {
    const { chat } = view;
    const isIn = desk.isMine(chat);
    const state = `${isIn}|${chat.ended}`;
    if (state === drawnFor) return;
    drawnFor = state;
    if (!isIn && may('supervisor')) mode = 'whisper';
    else if (isIn && mode === 'whisper') mode = 'say';
    drawModes();
    const canWrite = !chat.ended && (isIn || may('supervisor'));
    node.hidden = !canWrite;
    link.hidden = clip.hidden = !isIn;
  }

  drawUnsent();
  grow();
  return {
    node,
    draw,
    settle,
    focus(words = '') {
      if (node.hidden) return;
      if (words && !text.value) {
        text.value = words;
        changed();
      }
      text.focus();
      text.setSelectionRange(text.value.length, text.value.length);
    },
    dispose() {
      clearTimeout(soon);
      canned.dispose();
    },
  };
}

/** @returns the line as it stands in the transcript, if it has a position there. */
async function deliver(path, message, chat) {
  const where = { say: 'messages', note: 'private', whisper: 'whisper' }[message.mode] ?? 'messages';
  const answer = await post(`${path}/${where}`, { text: message.text });
  if (message.mode !== 'say' || !answer?.position) return null;
  const me = chat.agents.find((agent) => agent.agentId === desk.me?.agentId);
  return { position: answer.position, type: 'Message.Text', nickname: me?.nickname ?? '', text: message.text, role: me?.role ?? 'AGENT', time: new Date(now()).toISOString(), visibility: 'all' };
}
