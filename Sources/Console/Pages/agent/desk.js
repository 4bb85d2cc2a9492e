/** The chats that an agent sees, kept in step with the events. */

import { attempt, get, ifThere, list, now, post, route, seg, t, to, toast } from '../ui/kit.js';
import { Emitter } from '../core/emitter.js';
import { events } from '../core/events.js';
import { tellAway } from '../core/notify.js';
import { reading } from '../core/reading.js';
import { isTyping } from './transcript.js';

/** More chats than these are not held; the list says so. */
const chatsMaximum = 5000;
/** A preview of what somebody types is gone after this, in milliseconds. */
const typingLasts = 15000;

class Desk {
  me = null;
  chats = new Map();
  /** By chat: `{text, until}`. */
  typing = new Map();
  /** By chat and position: what became of a push. */
  outcomes = new Map();
  total = null;
  isLoaded = false;
  /** The chat that is on the screen. */
  open = null;
  /** Something about a chat has changed (its id), or about all (null). */
  changed = new Emitter();
  unreadChanged = new Emitter();
  /** A line has come: `{chatId, …line}`. */
  line = new Emitter();
  #stopListening = null;
  #refreshing = new Map();
  /** How many events were heard, and which was the last one of each chat. */
  #heard = 0;
  #heardOf = new Map();

  start() {
    this.#stopListening ??= events.on((event) => this.#happened(event));
    this.load();
  }

  stop() {
    this.#stopListening?.();
    this.#stopListening = null;
    this.chats.clear();
    this.isLoaded = false;
    this.me = null;
    this.open = null;
  }

  setMe(me) {
    this.me = me;
    this.#tell(null);
  }

  /** Reads all lists anew: after a start, and whenever events may be missing. */
  load = reading(async () => {
    const before = this.#heard;
    await attempt(() => this.#readAll());
    this.#tell(null);
    for (const chatId of this.#heardOf.keys()) {
      this.#refreshIfOld(chatId, before);
      if (!this.chats.has(chatId)) this.#heardOf.delete(chatId);
    }
  });

  /** What was read may be older than what was heard of it meanwhile. */
  #refreshIfOld(chatId, before) {
    if ((this.#heardOf.get(chatId) ?? 0) > before) this.refresh(chatId);
  }

  async #readAll() {
    const fresh = new Map();
    let after = null;
    do {
      const page = await list('/agent/1/chats', { state: 'all', limit: 500, after });
      for (const chat of page.data) fresh.set(chat.chatId, this.#kept(chat));
      this.total = page.total;
      after = page.next;
    } while (after && fresh.size < chatsMaximum);
    this.chats = fresh;
    this.isLoaded = true;
  }

  /** Whether the agent who is signed in is in that chat. */
  isMine(chat) {
    return chat.agents.some((agent) => agent.agentId === this.me?.agentId);
  }

  /** What is offered to the agent who is signed in. */
  offered() {
    return [...this.chats.values()].filter((chat) => chat.waiting && chat.offer?.agentId === this.me?.agentId);
  }

  /** The name under which one is in that chat, or null. */
  nickname(chat) {
    return chat.agents.find((agent) => agent.agentId === this.me?.agentId)?.nickname ?? null;
  }

  /** `filter`: waiting, own, all. The longest wait, or what was said last, comes first. */
  list(filter) {
    const chats = [...this.chats.values()];
    if (filter === 'waiting') return chats.filter((chat) => chat.waiting && !chat.ended).sort((one, other) => waitingSince(one) - waitingSince(other));
    const shown = filter === 'own' ? chats.filter((chat) => this.isMine(chat) && !chat.ended) : chats;
    return shown.sort((one, other) => lastTime(other) - lastTime(one));
  }

  count(filter) {
    let count = 0;
    for (const chat of this.chats.values()) {
      if (filter === 'waiting' ? chat.waiting && !chat.ended : filter === 'own' ? this.isMine(chat) && !chat.ended : true) count++;
    }
    return count;
  }

  /** Reads one chat anew, soon; many wishes for the same are one. */
  refresh(chatId) {
    if (this.#refreshing.has(chatId)) return;
    const timer = setTimeout(() => {
      this.#refreshing.delete(chatId);
      this.reread(chatId);
    }, 80);
    this.#refreshing.set(chatId, timer);
  }

  /** Reads one chat anew, at once. */
  reread(chatId) {
    return attempt(() => this.#read(chatId));
  }

  async #read(chatId) {
    const before = this.#heard;
    const chat = await ifThere(get(`/agent/1/chats/${seg(chatId)}`));
    if (chat) this.chats.set(chatId, this.#kept(chat));
    else this.chats.delete(chatId);
    this.#refreshIfOld(chatId, before);
    this.#tell(chatId);
    return chat;
  }

  /** A chat that no list had, such as one that a link leads to. */
  async find(chatId) {
    return this.chats.get(chatId) ?? (await this.#read(chatId));
  }

  /** Everything up to here was seen. */
  async markRead(chatId, position) {
    const chat = this.chats.get(chatId);
    if (!chat) return;
    const wasUnread = chat.unread > 0;
    chat.unread = 0;
    if (wasUnread) this.#tell(chatId);
    if (position > (chat.readUpTo ?? 0)) {
      chat.readUpTo = position;
      // A mark that did not come comes with the next line.
      await post(`/agent/1/chats/${seg(chatId)}/read`, { position }).catch(() => {});
    }
  }

  /** What became of the push for that line, or null. */
  outcome(chatId, position) {
    return this.outcomes.get(`${chatId}|${position}`) ?? null;
  }

  /** Takes over a chat as the server shows it; what only this page knows stays. */
  #kept(chat) {
    const old = this.chats.get(chat.chatId);
    const last = chat.pushes?.last;
    if (last) this.outcomes.set(`${chat.chatId}|${last.position}`, last);
    return {
      ...chat,
      unread: this.open === chat.chatId ? 0 : chat.unread,
      readUpTo: old?.readUpTo,
    };
  }

  #happened({ name, data }) {
    if (name === 'reset') return void this.load();
    if (!data.chatId) return;
    this.#heardOf.set(data.chatId, ++this.#heard);
    const chat = this.chats.get(data.chatId);
    if (name === 'line') this.#heardLine(chat, data);
    else if (name === 'typingPreview') this.#types(data.chatId, data.text);
    else if (name === 'customerOnline' && chat) {
      this.chats.set(data.chatId, { ...chat, customerOnline: data.customerOnline, phase: data.phase ?? chat.phase });
    } else if (name === 'chatOffered') {
      const who = chat?.customer || t('someone');
      tellAway(t('offer.chat', { who }), chat?.subject ?? '', `offer-${data.chatId}`, to('inbox', 'waiting', data.chatId));
      if (route()[0] !== 'inbox') toast(t('offer.chat', { who }));
      this.refresh(data.chatId);
    } else if (name === 'waiting') {
      if (!chat?.waiting) tellAway(t('notify.waiting'), chat ? `${chat.customer}: ${chat.subject}` : '', `waiting-${data.chatId}`, to('inbox', 'waiting', data.chatId));
      this.refresh(data.chatId);
    } else this.refresh(data.chatId);
    this.#tell(data.chatId);
  }

  #types(chatId, text) {
    this.typing.set(chatId, { text, until: now() + typingLasts });
  }

  #heardLine(chat, line) {
    if (isTyping(line)) {
      if (line.role !== 'CLIENT') return;
      if (line.type === 'Notice.TypingStarted') this.#types(line.chatId, line.text);
      else this.typing.delete(line.chatId);
      return;
    }
    this.line.tell(line);
    if (line.role === 'CLIENT') this.typing.delete(line.chatId);
    if (!chat) return this.refresh(line.chatId);
    const isNews = (line.position ?? 0) > chat.position || line.position === null;
    const next = { ...chat, lastLine: line, position: Math.max(chat.position, line.position ?? 0) };
    if (isNews && line.role === 'CLIENT' && line.type.startsWith('Message')) {
      const isSeen = this.open === chat.chatId && document.visibilityState === 'visible';
      if (!isSeen) next.unread = (chat.unread ?? 0) + 1;
      if (this.isMine(chat)) tellAway(chat.customer, line.text, `chat-${chat.chatId}`, to('inbox', 'own', chat.chatId));
      next.waitingSince = chat.waitingSince ?? line.time;
    } else if (isNews && line.role !== 'CLIENT' && line.type.startsWith('Message') && line.visibility !== 'agent' && !chat.waiting) next.waitingSince = null;
    this.chats.set(chat.chatId, next);
    if (line.type === 'Notice.Joined' || line.type === 'Notice.Left') this.refresh(chat.chatId);
  }

  #tell(chatId) {
    this.changed.tell(chatId);
    let unread = 0;
    for (const chat of this.chats.values()) {
      if (chat.ended) continue;
      if (chat.waiting) unread++;
      else if (this.isMine(chat)) unread += chat.unread ?? 0;
    }
    this.unreadChanged.tell(unread);
  }
}

/** Since when the customer waits, in milliseconds. */
export const waitingSince = (chat) => Date.parse(chat.waitingSince ?? chat.startedAt);
const lastTime = (chat) => Date.parse(chat.lastLine?.time ?? chat.endedAt ?? chat.startedAt);

export const desk = new Desk();
