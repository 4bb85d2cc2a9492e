/** Scripted failures: what the next messages of a sender in test mode are to meet. */

import { attempt, button, del, empty, field, get, h, head, list, number, put, replace, seg, select, t, table, toast, worker } from '../ui/kit.js';

/** What each target of a request may be answered with. Spec: GCM, downstream error codes. */
const errors = ['Unavailable', 'InternalServerError', 'NotRegistered', 'InvalidRegistration', 'MismatchSenderId', 'MessageTooBig', 'InvalidTtl', 'DeviceMessageRateExceeded', 'TopicsMessageRateExceeded'];

export function screen() {
  const sender = select([], { name: 'sender', onchange: load });
  const error = select(['', ...errors].map((id) => [id, id || '–']), { name: 'error' });
  const figure = (name, min, max) => h('input', { type: 'number', name, min, max });
  const [status, delay, retry, count] = [figure('status', 400, 599), figure('delayMilliseconds', 0, 30000), figure('retryAfterSeconds', 0, 86400), figure('count', 1, 1000)];
  const shown = h('div', { 'aria-live': 'polite' });
  let faults = [];
  const path = () => `/admin/1/senders/${seg(sender.value)}/faults`;

  async function senders() {
    const { data } = await list('/admin/1/tokens', { role: 'sender', usable: true, limit: 500 });
    const names = [...new Set(data.filter((token) => token.sender?.testMode).map((token) => token.sender.id))];
    replace(sender, names.map((name) => h('option', name)));
    if (names.length) await load();
    else replace(shown, empty(t('faults.noSender'), t('faults.noSender.detail')));
  }

  async function load() {
    faults = (await get(path())).faults;
    draw();
  }

  async function save(next) {
    if (next.length) faults = (await put(path(), { faults: next })).faults;
    else await del(path()).then(() => (faults = []));
    draw();
    toast(t('saved'));
  }

  function draw() {
    const cell = (value) => (value === undefined ? '–' : String(value));
    replace(shown, faults.length ? table(t('screen.faults'), ['', t('faults.answer'), t('faults.delay'), t('faults.retryAfter'), ''], faults.map((one, index) => [number(index + 1), one.error ?? (one.status ? `HTTP ${one.status}` : t('faults.slow')), cell(one.delayMilliseconds), cell(one.retryAfterSeconds),
      worker(t('remove'), () => save(faults.filter((other) => other !== one)), { 'aria-label': `${t('remove')} ${index + 1}` })])) : empty(t('faults.none'), t('faults.none.detail')));
  }

  async function add(event) {
    event.preventDefault();
    const fault = Object.fromEntries([status, delay, retry, count].filter((one) => one.value).map((one) => [one.name, Number(one.value)]));
    if (error.value) fault.error = error.value;
    await attempt(() => save([...faults, fault]));
  }

  attempt(senders);
  return {
    node: h('div.page', head(t('screen.faults'), button(t('reload'), () => attempt(senders)), worker(t('faults.end'), () => save([]), { kind: 'danger' })), h('p.hint', t('faults.help')),
      h('form.card', { onsubmit: add }, h('div.form-row', field(t('sender'), sender), field(t('faults.error'), error), field(t('faults.status'), status, t('faults.either'))),
        h('div.form-row', field(t('faults.delay'), delay), field(t('faults.retryAfter'), retry), field(t('faults.count'), count), h('button.button.primary', { type: 'submit' }, t('faults.add')))), shown),
  };
}
