/**
 * A chat for any page, in one line:
 *
 *     <script type="module" src="https://chat.example/client/carillon-widget.js" data-service="request-chat"></script>
 *
 * What else may stand in that line, and how it is made to look like the page, is told in JAVASCRIPT.md.
 */

import { CarillonChat, subscribeToPush } from './carillon.js';

const words = {
  en: {
    title: 'Chat', open: 'Open the chat', hide: 'Hide the chat', end: 'End the chat', message: 'Message', send: 'Send', attach: 'Attach a file', notify: 'Notify me of answers',
    hello: 'Write to us: we answer here.', waiting: 'No connection. It is tried again, and nothing is lost.', sending: 'Waiting to be sent', failed: 'Not sent', again: 'Send again', over: 'The chat is over.',
    joined: '{name} has joined', left: '{name} has left', typing: '{name} is typing …', unread: '{count} new messages', refused: 'That did not work: {reason}', you: 'You', notified: 'You will be notified.',
  },
  de: {
    title: 'Chat', open: 'Chat öffnen', hide: 'Chat ausblenden', end: 'Chat beenden', message: 'Nachricht', send: 'Senden', attach: 'Datei anhängen', notify: 'Bei Antworten benachrichtigen',
    hello: 'Schreiben Sie uns: Wir antworten hier.', waiting: 'Keine Verbindung. Es wird weiter versucht, und nichts geht verloren.', sending: 'Wartet auf das Senden', failed: 'Nicht gesendet', again: 'Noch einmal senden', over: 'Der Chat ist beendet.',
    joined: '{name} ist dabei', left: '{name} ist gegangen', typing: '{name} schreibt …', unread: '{count} neue Nachrichten', refused: 'Das ging nicht: {reason}', you: 'Sie', notified: 'Sie werden benachrichtigt.',
  },
};

// Each line is a rule: what a page sets for `carillon-chat` goes over it.
const style = [
  ':host{--accent:var(--carillon-accent,#0b57d0);--on-accent:var(--carillon-on-accent,#fff);--surface:var(--carillon-surface,#fff);--text:var(--carillon-text,#1b1b1f);--muted:var(--carillon-muted,#55555e);--bubble:var(--carillon-bubble,#eceef3);--line:var(--carillon-line,#c5c6d0);--radius:var(--carillon-radius,12px);position:fixed;inset:auto var(--carillon-right,16px) var(--carillon-bottom,16px) auto;z-index:var(--carillon-layer,2147483000);font:var(--carillon-font,15px/1.45 system-ui,sans-serif);color:var(--text)}',
  '@media (prefers-color-scheme:dark){:host(:not([theme=light])){--accent:var(--carillon-accent,#a8c7fa);--on-accent:var(--carillon-on-accent,#062e6f);--surface:var(--carillon-surface,#1b1b1f);--text:var(--carillon-text,#e4e2e6);--muted:var(--carillon-muted,#b3b1ba);--bubble:var(--carillon-bubble,#303036);--line:var(--carillon-line,#5c5c66)}}',
  ':host([theme=dark]){--accent:var(--carillon-accent,#a8c7fa);--on-accent:var(--carillon-on-accent,#062e6f);--surface:var(--carillon-surface,#1b1b1f);--text:var(--carillon-text,#e4e2e6);--muted:var(--carillon-muted,#b3b1ba);--bubble:var(--carillon-bubble,#303036);--line:var(--carillon-line,#5c5c66)}',
  '*{box-sizing:border-box;font:inherit}[hidden]{display:none!important}',
  'button,.attach{border:0;border-radius:var(--radius);background:none;color:inherit;padding:8px 12px;min-height:40px;cursor:pointer}button:disabled{opacity:.5;cursor:default}',
  ':focus-visible,.attach:focus-within{outline:3px solid var(--accent);outline-offset:2px}',
  '.main{background:var(--accent);color:var(--on-accent)}.open{border-radius:28px;min-height:56px;padding:0 22px;font-weight:600;box-shadow:0 3px 12px #0005}',
  '.panel{display:flex;flex-direction:column;width:min(380px,calc(100vw - 32px));height:min(560px,calc(100vh - 32px));background:var(--surface);border:1px solid var(--line);border-radius:var(--radius);overflow:hidden;box-shadow:0 6px 28px #0006}',
  'header{display:flex;align-items:center;gap:4px;padding:8px 8px 8px 16px;border-bottom:1px solid var(--line)}h2{flex:1;margin:0;font-weight:600}',
  '.log{flex:1;overflow-y:auto;padding:12px 16px;overscroll-behavior:contain}.log p{margin:0 0 8px;overflow-wrap:anywhere;white-space:pre-wrap}',
  '.said{width:fit-content;max-width:85%;padding:8px 12px;border-radius:var(--radius);background:var(--bubble)}.mine{margin-inline-start:auto!important;background:var(--accent);color:var(--on-accent)}.waits{opacity:.6}.said a,.said button{color:inherit;text-decoration:underline}',
  '.note,.status{color:var(--muted);font-size:.87em}.note{text-align:center}.status{margin:0;padding:0 16px;min-height:1.5em}.status.is-bad{color:var(--text);font-weight:600}',
  'form{display:flex;align-items:end;gap:4px;padding:8px;border-top:1px solid var(--line)}textarea{flex:1;min-width:0;resize:none;max-height:120px;padding:8px 10px;border:1px solid var(--muted);border-radius:var(--radius);background:var(--surface);color:inherit}',
  '.away{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}',
].join('\n');

/** An element with what is in it; texts are texts, whatever stands in them. */
function h(tag, attributes = {}, ...content) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...content);
  return element;
}

/** The text, with what is an address of the web in it as a link. */
function linked(text) {
  return text.split(/(https?:\/\/[^\s<>"]+)/).map((part, index) => (index % 2 ? h('a', { href: part, target: '_blank', rel: 'noopener noreferrer' }, part) : part));
}

const mark = (path) => {
  const [icon, line] = ['svg', 'path'].map((name) => document.createElementNS('http://www.w3.org/2000/svg', name));
  for (const [name, value] of Object.entries({ viewBox: '0 0 24 24', width: 20, height: 20, fill: 'none', stroke: 'currentColor', 'stroke-width': 2, 'stroke-linecap': 'round', 'aria-hidden': 'true' })) icon.setAttribute(name, value);
  line.setAttribute('d', path);
  icon.append(line);
  return icon;
};

/** A storage that pages may be without. */
const kept = {
  getItem(key) { try { return localStorage.getItem(key); } catch { return null; } },
  setItem(key, value) { localStorage.setItem(key, value); },
  removeItem(key) { localStorage.removeItem(key); },
};

/** A key that nobody guesses: whoever has it reads the chat. */
function visitor(name) {
  const known = kept.getItem(name);
  if (known) return known;
  const key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  try { kept.setItem(name, key); } catch { /* then it is of this page alone */ }
  return key;
}

export class CarillonWidget extends HTMLElement {
  /** As the attributes `data-…` of the script or the element say. */
  settings = {};
  chat = null;
  #t; #parts; #read = 0; #unread = 0; #typedAt = 0; #started = null; #pending = new Map();

  connectedCallback() {
    if (this.shadowRoot) return;
    const { lang = document.documentElement.lang || navigator.language || 'en' } = this.settings = { ...this.dataset, ...this.settings };
    const texts = { ...(words[lang.slice(0, 2)] ?? words.en), ...(this.settings.title && { title: this.settings.title }) };
    this.#t = (word, holes = {}) => texts[word].replace(/\{(\w+)\}/g, (_, hole) => holes[hole] ?? '');
    const root = this.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    root.adoptedStyleSheets = [sheet];
    this.lang = words[lang.slice(0, 2)] ? lang : 'en';
    this.#build(root);
    this.#read = Number(kept.getItem(`${this.#key}-read`)) || 0;
    if (kept.getItem(this.#key)) this.#begin(null);
  }

  disconnectedCallback() { this.chat?.close(); }

  get #key() { return this.settings.storageKey ?? 'carillon'; }

  #build(root) {
    const t = this.#t;
    const icon = (word, path, act, kind = {}) => h('button', { type: 'button', 'aria-label': t(word), title: t(word), onclick: act, ...kind }, mark(path));
    const open = h('button.main.open', { type: 'button', 'aria-expanded': 'false', 'aria-controls': 'panel', 'aria-label': t('open'), onclick: () => this.open() }, t('title'));
    const log = h('div.log', { role: 'log', 'aria-label': t('title'), 'aria-live': 'polite', tabindex: 0 }, h('p.note', {}, t('hello')));
    const status = h('p.status', { role: 'status' });
    const text = h('textarea', { id: 'text', rows: 1, maxlength: 4000, 'aria-label': t('message'), placeholder: t('message'), onkeydown: (event) => this.#pressed(event), oninput: () => this.#typed() });
    const file = h('input.away', { type: 'file', 'aria-label': t('attach'), onchange: () => this.#attach() });
    const end = icon('end', 'M5 5l14 14M19 5L5 19', () => this.chat?.end().catch((error) => this.#say('refused', { reason: error.message })), { hidden: true });
    const bell = icon('notify', 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4', () => this.#notify(), { hidden: true });
    const form = h('form', { onsubmit: (event) => { event.preventDefault(); this.#submit(); } },
      h('label.attach', { title: t('attach') }, file, mark('M20 11l-8 8a5 5 0 0 1-7-7l9-9a3.5 3.5 0 0 1 5 5l-9 9a2 2 0 0 1-3-3l8-8')), text, h('button.main', { type: 'submit' }, t('send')));
    const panel = h('section.panel', { id: 'panel', role: 'dialog', 'aria-label': t('title'), hidden: true, onkeydown: (event) => event.key === 'Escape' && this.hide() },
      h('header', {}, h('h2', {}, t('title')), bell, end, icon('hide', 'M5 12h14', () => this.hide())), log, status, form);
    // Told to whoever listens while the panel is closed.
    const news = h('p.away', { role: 'status' });
    root.append(panel, open, news);
    this.#parts = { open, panel, log, status, text, file, end, bell, form, news };
  }

  open() {
    const { open, panel, text, log } = this.#parts;
    panel.hidden = false;
    open.hidden = true;
    open.setAttribute('aria-expanded', 'true');
    this.#seen();
    log.scrollTop = log.scrollHeight;
    text.focus();
  }

  hide() {
    const { open, panel } = this.#parts;
    panel.hidden = true;
    open.hidden = false;
    open.setAttribute('aria-expanded', 'false');
    open.focus();
  }

  #seen() {
    const { open, news } = this.#parts;
    this.#unread = 0;
    this.#read = Math.max(this.#read, this.chat?.position ?? 0);
    try { kept.setItem(`${this.#key}-read`, String(this.#read)); } catch { /* then they are new once more */ }
    open.textContent = this.#t('title');
    open.setAttribute('aria-label', this.#t('open'));
    news.textContent = '';
  }

  /** Begins a chat, or goes on with the one that is kept; without parameters only that. */
  #begin(parameters) {
    const started = this.#started = this.#start(parameters);
    started.catch((error) => {
      if (this.#started === started) this.chat = null;
      this.#say('refused', { reason: error.message }, true);
    });
  }

  async #start(parameters) {
    const { server = new URL('..', import.meta.url).href, alternatives, service, user = visitor(`${this.#key}-visitor`), token, name } = this.settings;
    const chat = this.chat = new CarillonChat({ server, alternatives: alternatives?.split(/[\s,]+/).filter(Boolean), service, user, token, storage: kept, storageKey: this.#key });
    chat.on('event', (event) => this.#show(event));
    chat.on('connection', (isConnected) => { if (chat.phase === 'foreground') this.#say(isConnected ? null : 'waiting', {}, !isConnected); });
    chat.on('phase', (phase) => this.#changed(phase));
    chat.on('sent', ({ id }) => this.#settled(id));
    chat.on('unsent', ({ id, text }) => this.#unsent(id, text));
    for (;;) {
      try {
        await chat.start(parameters && { userDisplayName: name, ...parameters });
        if (chat.phase === 'idle') this.chat = null;
        return;
      } catch (error) {
        if (!error.mayPass) throw error;
        this.#say('waiting', {}, true);
        await new Promise((resolve) => setTimeout(resolve, 3_000));
        if (!this.isConnected) throw error;
      }
    }
  }

  #changed(phase) {
    const { end, bell, log } = this.#parts;
    end.hidden = phase !== 'foreground' && phase !== 'background';
    bell.hidden = end.hidden || !this.settings.vapidKey || !('PushManager' in window);
    if (phase !== 'ended') return;
    log.append(h('p.note', {}, this.#t('over')));
    log.scrollTop = log.scrollHeight;
    this.#say(null);
    this.chat = null;
  }

  #say(word, holes, isBad = false) {
    const { status } = this.#parts;
    status.textContent = word ? this.#t(word, holes) : '';
    status.classList.toggle('is-bad', isBad);
  }

  #show({ position, type, nickname, text, party, file }) {
    const { log, panel, open, news } = this.#parts;
    const isMine = party === 'CLIENT';
    if (type.startsWith('Notice.Typing')) return isMine ? undefined : this.#say(type === 'Notice.TypingStarted' ? 'typing' : null, { name: nickname });
    const note = { 'Notice.Joined': 'joined', 'Notice.Left': 'left' }[type];
    if (note && isMine) return undefined;
    if (!isMine && this.chat?.isConnected) this.#say(null);
    const who = h('span.away', {}, `${isMine ? this.#t('you') : nickname}: `);
    const content = file ? [h('button', { type: 'button', onclick: () => this.#save(file) }, file.name)] : linked(text);
    this.#append(note ? h('p.note', {}, this.#t(note, { name: nickname })) : h(`p.said${isMine ? '.mine' : ''}`, {}, who, ...content));
    if (isMine || note || position <= this.#read) return undefined;
    if (!panel.hidden) return this.#seen();
    this.#unread += 1;
    open.textContent = `${this.#t('title')} (${this.#unread})`;
    open.setAttribute('aria-label', `${this.#t('open')}: ${this.#t('unread', { count: this.#unread })}`);
    news.textContent = `${nickname}: ${text}`;
    return undefined;
  }

  /** At the end, before what waits to be sent; whoever reads further up stays there. */
  #append(line) {
    const { log } = this.#parts;
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    log.insertBefore(line, [...this.#pending.values()][0] ?? null);
    if (isAtEnd) log.scrollTop = log.scrollHeight;
  }

  #pressed(event) {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#submit();
  }

  #typed() {
    const { text } = this.#parts;
    text.rows = Math.min(text.value.split('\n').length, 5);
    const now = performance.now();
    if (!this.chat?.isConnected || now < this.#typedAt) return;
    this.#typedAt = now + 3_000;
    this.chat.typing(true, text.value);
  }

  #submit() {
    const { text } = this.#parts;
    const value = text.value.trim();
    if (!value) return;
    text.value = '';
    text.rows = 1;
    this.#give(value, (chat, id) => chat.send(value, { id }), { subject: value.slice(0, 80) });
  }

  #attach() {
    const { file: input, text } = this.#parts;
    const [file] = input.files;
    input.value = '';
    if (file) this.#give(file.name, (chat, id) => chat.sendFile(file, { id }), {});
    text.focus();
  }

  async #give(shown, send, parameters) {
    const id = `w${Math.random()}`;
    // What reads the page aloud says it once it has been sent.
    const line = h('p.said.mine.waits', { title: this.#t('sending'), 'aria-hidden': 'true' }, shown);
    const { log } = this.#parts;
    log.append(line);
    log.scrollTop = log.scrollHeight;
    this.#pending.set(id, line);
    try {
      if (!this.chat) this.#begin(parameters);
      await this.#started;
      // The one that was kept may have been over.
      if (!this.chat) await (this.#begin(parameters), this.#started);
      await send(this.chat, id);
    } catch (error) {
      this.#unsent(id, shown);
      this.#say('refused', { reason: error.message }, true);
    }
  }

  #settled(id) {
    this.#pending.get(id)?.remove();
    this.#pending.delete(id);
  }

  #unsent(id, text) {
    if (!this.#pending.has(id)) return;
    this.#settled(id);
    const line = h('p.said.mine', {}, `${this.#t('failed')}: ${text} `, h('button', { type: 'button', onclick: () => { line.remove(); this.#parts.text.value = text; this.#parts.text.focus(); } }, this.#t('again')));
    this.#append(line);
  }

  async #save(file) {
    try {
      const url = URL.createObjectURL(await this.chat.file(file.url));
      h('a', { href: url, download: file.name }).click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    } catch (error) { this.#say('refused', { reason: error.message }, true); }
  }

  async #notify() {
    try {
      await this.chat.setPush(await subscribeToPush({ key: this.settings.vapidKey, worker: this.settings.worker, language: this.lang }));
      this.#say('notified');
    } catch (error) { this.#say('refused', { reason: error.message }, true); }
  }
}

customElements.get('carillon-chat') ?? customElements.define('carillon-chat', CarillonWidget);

const script = [...document.scripts].find(({ src }) => src === import.meta.url);
if (script && !document.querySelector('carillon-chat')) {
  const widget = new CarillonWidget();
  widget.settings = { ...script.dataset };
  if (script.dataset.theme) widget.setAttribute('theme', script.dataset.theme);
  document.body.append(widget);
}
