/** Questions that are asked before something is done with a chat. */

import { dialog, field, get, h, post, safeURL, select, t, term } from '../ui/kit.js';
import { desk } from './desk.js';

const dispositions = ['', 'resolved', 'followUp', 'abandoned', 'spam'];

/** Ends the chat if it is not over, with what it came to. */
export async function wrapUpDialog({ path, chat }) {
  const before = chat.wrapUp ?? { disposition: '', note: '', tags: [] };
  const choice = select(dispositions.map((id) => [id, id ? t(`disposition.${id}`) : '–']), { name: 'disposition', value: before.disposition, required: chat.ended });
  const note = h('textarea', { name: 'note', rows: 3, maxlength: 4000, value: before.note });
  const tags = h('input', { name: 'tags', maxlength: 400, value: before.tags.join(', ') });
  const body = () => [chat.ended ? null : h('p', t('close.question', { who: chat.customer || t('someone') })), field(t('disposition'), choice), field(t('note'), note), field(t('tags'), tags, t('tags.help'))];
  const done = await dialog(t(chat.ended ? 'wrapUp' : 'act.close'), body, {
    ok: t(chat.ended ? 'save' : 'act.close'),
    danger: !chat.ended,
    async submit() {
      const words = { disposition: choice.value, note: note.value.trim(), tags: tags.value.split(',').map((tag) => tag.trim()).filter(Boolean) };
      if (!words.disposition && (words.note || words.tags.length)) throw new Error(t('disposition.missing'));
      if (words.disposition) await post(`${path}/wrapup`, words);
      if (!chat.ended) await post(`${path}/close`);
    },
  });
  return done || undefined;
}

async function colleagues() {
  const agents = await get('/agent/1/agents');
  return agents.filter((agent) => agent.agentId !== desk.me?.agentId);
}

const agentOption = (agent) => [`agent:${agent.agentId}`, `${agent.agentId} · ${term('presence', agent.presence)}${agent.ready ? ` · ${t('ready')}` : ''}`];

export async function transferDialog({ path, chat }) {
  const agents = await colleagues();
  const services = [...new Set([...desk.chats.values()].map((one) => one.service))].sort();
  const target = select([...agents.map(agentOption), ...services.map((service) => [`service:${service}`, t('toService', { service })])], { name: 'target' });
  const done = await dialog(t('act.transfer'), () => field(t('transfer.to'), target, t('transfer.help', { who: chat.customer || t('someone') })), {
    ok: t('act.transfer'),
    submit() {
      const [kind, ...rest] = target.value.split(':');
      return post(`${path}/transfer`, { [kind === 'agent' ? 'agentId' : 'service']: rest.join(':') });
    },
  });
  return done || undefined;
}

export async function inviteDialog({ path }) {
  const agents = await colleagues();
  const target = select(agents.map(agentOption), { name: 'target', required: true });
  const body = () => (agents.length ? field(t('invite.whom'), target) : h('p', t('invite.nobody')));
  const done = await dialog(t('act.invite'), body, agents.length ? { ok: t('act.invite'), submit: () => post(`${path}/invite`, { agentId: target.value.slice('agent:'.length) }) } : {});
  return done || undefined;
}

export async function takeOverDialog({ path, chat }, nickname) {
  const name = h('input', { name: 'nickname', value: nickname, required: true, maxlength: 100 });
  const done = await dialog(t('act.takeOver'), () => [h('p', t('takeOver.question', { who: chat.agents.map((agent) => agent.nickname).join(', ') })), field(t('nickname'), name)], {
    ok: t('act.takeOver'),
    submit: () => post(`${path}/takeover`, { nickname: name.value.trim() }),
  });
  return done || undefined;
}

export async function linkDialog({ path }) {
  const address = h('input', { name: 'url', type: 'url', required: true, placeholder: 'https://', maxlength: 2000 });
  const done = await dialog(t('act.link'), () => field(t('url'), address), {
    ok: t('send'),
    submit() {
      const url = safeURL(address.value);
      if (!url) throw new Error(t('url.wrong'));
      return post(`${path}/pushurl`, { url });
    },
  });
  return done || undefined;
}
