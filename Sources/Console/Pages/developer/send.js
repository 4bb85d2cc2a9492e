/** Sends one message, with every field, and shows how devices would show it. */

import { attempt, field, h, head, isRole, post, replace, seg, select, t, toast } from '../ui/kit.js';

export function screen() {
  const input = (name, attributes = {}) => h('input', { name, maxlength: 4096, oninput: draw, ...attributes });
  // What a key opens is the sender's alone: operators bring one along, and it is kept nowhere.
  const key = isRole('sender') ? null : input('key', { type: 'password', required: true, autocomplete: 'off' });
  const project = input('project', { value: 'carillon', required: true });
  const by = select(['token', 'topic', 'condition'].map((id) => [id, t(`send.${id}`)]), { name: 'by' });
  const target = input('target', { required: true, spellcheck: 'false' });
  const [title, body, image, collapse] = ['title', 'body', 'image', 'collapse'].map((name) => input(name));
  const ttl = input('ttl', { type: 'number', min: 0, max: 2419200 });
  const priority = select([['', '–'], ['HIGH', t('priority.high')], ['NORMAL', t('priority.normal')]], { name: 'priority' });
  const data = h('textarea', { rows: 4, spellcheck: 'false', value: '{}', oninput: draw });
  const dry = h('input', { type: 'checkbox' });
  const payload = h('pre', { tabindex: '0' });
  const phones = h('div.phones');
  const answer = h('div', { role: 'status' });

  function order() {
    const notification = given({ title: title.value, body: body.value, image: image.value });
    const android = given({ collapse_key: collapse.value, priority: priority.value, ttl: ttl.value && `${ttl.value}s` });
    return { validate_only: dry.checked, message: { [by.value]: target.value.trim(), ...given({ notification, android, data: words(data.value) }) } };
  }

  function draw() {
    let text;
    try {
      text = JSON.stringify(order(), null, 2);
      data.setCustomValidity('');
    } catch {
      data.setCustomValidity(t('send.json'));
      text = t('send.json');
    }
    payload.textContent = text;
    replace(phones, ['android', 'ios', 'web'].map((kind) => phone(kind, title.value, body.value)));
  }

  async function submit(event) {
    event.preventDefault();
    draw();
    if (!form.reportValidity()) return;
    const options = key ? { headers: { Authorization: `Bearer ${key.value.trim()}` }, credentials: 'omit' } : {};
    const done = await attempt(() => post(`/v1/projects/${seg(project.value.trim())}/messages:send`, order(), options));
    if (!done) return;
    replace(answer, h('pre', { tabindex: '0' }, JSON.stringify(done, null, 2)));
    toast(t('send.done'));
  }

  const form = h('form.card', { onsubmit: submit, onchange: draw }, key && field(t('send.key'), key, t('send.key.help')),
    h('div.form-row', field(t('send.project'), project), field(t('send.by'), by), field(t('send.target'), target)),
    h('div.form-row', field(t('title'), title), field(t('body'), body)),
    h('div.form-row', field(t('send.image'), image), field(t('send.collapse'), collapse), field(t('send.ttl'), ttl), field(t('priority'), priority)),
    field(t('data'), data, t('send.data.help')), h('div.actions', h('label.check', dry, t('send.dry')), h('button.button.primary', { type: 'submit' }, t('send'))), answer);
  draw();
  return { node: h('div.page', head(t('screen.send')), h('div.columns', form, h('section', h('h2', t('send.looks')), phones, h('h3', t('send.payload')), payload))) };
}

const given = (members) => Object.fromEntries(Object.entries(members).filter(([, value]) => value && (typeof value !== 'object' || Object.keys(value).length)));

/** Data has texts alone. */
const words = (text) => Object.fromEntries(Object.entries(JSON.parse(text || '{}')).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]));

const phone = (kind, title, body) =>
  h('div.phone', h('small', { android: 'Android', ios: 'iOS', web: 'Web' }[kind]), title || body ? h('div.push', kind === 'ios' ? null : h('small', kind === 'web' ? location.host : 'App'), h('strong', { dir: 'auto' }, title || 'App'), h('span', { dir: 'auto' }, body)) : h('p.hint', t('send.silent')));
