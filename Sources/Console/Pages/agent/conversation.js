/** One chat: its transcript, who is in it, and what can be done. */

import { attempt, badge, bind, empty, get, h, iconButton, may, now, post, read, replace, seg, session, short, t, term, toast, worker } from '../ui/kit.js';
import { events } from '../core/events.js';
import { customerCard } from './card.js';
import { composer } from './composer.js';
import { desk } from './desk.js';
import { inviteDialog, linkDialog, takeOverDialog, transferDialog, wrapUpDialog } from './dialogs.js';
import { transcriptView } from './transcriptView.js';
import { lastPosition, merge } from './transcript.js';

/** Lines that are asked for at a time. */
const page = 200;

/** @param {{close: () => void}} options `close` leads back to the list. */
export function conversation(chatId, { close }) {
  const path = `/agent/1/chats/${seg(chatId)}`;
  const view = { chatId, path, chat: null, lines: [], hasEarlier: false };
  const head = h('header.conversation-head');
  const state = h('div.strip', { role: 'status' });
  const transcript = transcriptView(view, loadEarlier);
  const compose = composer(view, { posted, act, recheck: catchUp });
  const card = customerCard(view);
  const body = h('div.conversation-body', head, transcript.node, state, compose.node);
  const node = h('div.conversation', body, card.node);
  const ends = [];
  let drawnHead = '';
  let isGone = false;

  async function load() {
    const chat = await desk.find(chatId);
    if (isGone) return;
    if (!chat) return replace(node, empty(t('chat.gone'), t('chat.gone.detail')), iconButton('back', t('backToList'), close));
    view.chat = desk.chats.get(chatId);
    await loadLines({ limit: page });
  }

  async function loadLines(query) {
    const answer = await get(`${path}/transcript`, query);
    if (isGone) return;
    view.lines = merge(view.lines, answer.lines);
    if (query.limit) view.hasEarlier = answer.lines.length >= query.limit && (firstPosition(answer.lines) ?? 1) > 1;
    draw();
    compose.settle();
    seen();
  }

  async function loadEarlier() {
    await attempt(() => loadLines({ limit: page, before: firstPosition(view.lines) }));
  }

  /** After a gap: what came behind the last line that is here. @returns whether the server answered. */
  async function catchUp() {
    try {
      await loadLines({ after: lastPosition(view.lines) });
      return true;
    } catch (error) {
      if (error.status !== 0 && error.status !== 503) await attempt(() => Promise.reject(error));
      return false;
    }
  }

  function posted(line) {
    view.lines = merge(view.lines, [line]);
    draw();
    transcript.toEnd();
  }

  function draw() {
    view.chat = desk.chats.get(chatId) ?? view.chat;
    if (!view.chat) return;
    transcript.draw();
    card.draw();
    compose.draw();
    drawHead();
    drawState();
  }

  /** Only if something in it differs: no click may be lost between two drawings. */
  function drawHead() {
    const { customer, subject, service, agents, phase, customerOnline, ended } = view.chat;
    const state = JSON.stringify([customer, subject, service, agents, phase, customerOnline, ended, desk.me?.agentId]);
    if (state !== drawnHead) replace(head, headOf(view, act, close, card));
    drawnHead = state;
  }

  function drawState() {
    const typing = desk.typing.get(chatId);
    const isTyping = typing && typing.until > now();
    const { chat } = view;
    const words = chat.ended ? null : isTyping ? t('typing', { who: chat.customer || t('someone'), text: typing.text ?? '' }) : chat.customerOnline ? null : away(chat);
    if (state.textContent !== (words ?? '')) state.textContent = words ?? '';
    state.className = `strip${isTyping && !chat.ended ? ' is-typing' : words ? ' is-away' : ''}`;
  }

  function seen() {
    if (document.visibilityState === 'visible' && view.lines.length) desk.markRead(chatId, lastPosition(view.lines));
  }

  /** What buttons and keys do. */
  async function act(name) {
    const done = await attempt(() => acts[name](view));
    if (done !== undefined) await desk.reread(chatId);
    if (name === 'join') compose.focus();
  }

  ends.push(
    desk.line.on((line) => {
      if (line.chatId !== chatId) return;
      view.lines = merge(view.lines, [line]);
      draw();
      compose.settle();
      seen();
    }),
    desk.changed.on((id) => {
      if (id === chatId || id === null) draw();
    }),
    events.on(({ name }) => {
      if (name === 'reset') catchUp();
    }),
    bind({
      r: { words: t('key.reply'), act: () => compose.focus() },
      '/': { words: t('key.canned'), act: () => compose.focus('/') },
    }),
  );
  const clock = setInterval(() => view.chat && drawState(), 1000);
  document.addEventListener('visibilitychange', seen);

  attempt(load);
  return {
    node,
    dispose() {
      isGone = true;
      clearInterval(clock);
      document.removeEventListener('visibilitychange', seen);
      for (const end of ends) end();
      compose.dispose();
    },
  };
}

const firstPosition = (lines) => lines.find((line) => line.position)?.position;

function away(chat) {
  const since = chat.phaseSince ? short(now() - Date.parse(chat.phaseSince)) : null;
  const words = since ? t(chat.phase === 'lost' ? 'lost.since' : 'away.since', { who: chat.customer || t('someone'), time: since }) : t('away', { who: chat.customer || t('someone') });
  return `${words} ${t('away.push')}`;
}

/** The name that customers read. */
const ownNickname = () => read('nickname') || session.name;

/** As whom one joins. */
export const joining = () => ({ nickname: ownNickname(), role: may('supervisor') ? 'SUPERVISOR' : 'AGENT' });

const acts = {
  async join({ path }) {
    await post(`${path}/join`, joining());
    return true;
  },
  async leave({ path }) {
    await post(`${path}/leave`);
    return true;
  },
  close: (view) => wrapUpDialog(view),
  wrapUp: (view) => wrapUpDialog(view),
  transfer: (view) => transferDialog(view),
  invite: (view) => inviteDialog(view),
  takeOver: (view) => takeOverDialog(view, ownNickname()),
  link: (view) => linkDialog(view),
  async request({ path, chat }) {
    const request = await post(`${path}/request`, { subject: chat.subject || t('noSubject'), comment: { body: t('request.fromChat', { who: chat.customer }), public: false } });
    toast(t('request.made', { id: request.id }));
    return true;
  },
};

function headOf(view, act, close, card) {
  const { chat } = view;
  const isIn = desk.isMine(chat);
  const isOthers = chat.offer && chat.offer.agentId !== desk.me?.agentId && !may('supervisor');
  const button = (name, kind = '') => worker(t(`act.${name}`), () => act(name), { kind });
  const others = chat.agents.filter((agent) => agent.agentId !== desk.me?.agentId).map((agent) => agent.nickname);
  return [
    iconButton('back', t('backToList'), close, { class: 'icon-button only-narrow' }),
    h('div.who-head', {},
      h('h2.clip', { dir: 'auto', tabindex: '-1' }, chat.customer || t('someone')),
      h('p.clip', h('span', { dir: 'auto' }, chat.subject || t('noSubject')), ' · ', chat.service, others.length ? ` · ${t('with', { who: others.join(', ') })}` : '')),
    h('div.actions', presence(chat),
      !isIn && !chat.ended && !isOthers ? button('join', 'primary') : null,
      isIn && !chat.ended ? [button('transfer'), button('invite')] : null,
      may('supervisor') && !isIn && !chat.ended && chat.agents.length ? button('takeOver') : null,
      isIn && !chat.ended ? [button('leave'), button('close', 'danger')] : null,
      chat.ended ? button('wrapUp') : null,
      isIn ? iconButton('ticket', t('act.request'), () => act('request')) : null,
      iconButton('user', t('customer'), ({ currentTarget }) => currentTarget.setAttribute('aria-expanded', String(card.toggle())), { class: 'icon-button card-button', 'aria-expanded': String(card.isOpen()) })),
  ];
}

function presence(chat) {
  if (chat.ended) return badge(t('ended'));
  const phase = chat.phase ?? (chat.customerOnline ? 'foreground' : 'background');
  return badge(term('phase', phase), phase === 'foreground' ? 'ok' : 'warn');
}

