/** The protocols of a real phone: REST and Comet for the chat, a registration token and the device's socket for pushes. */

import { readTab, writeTab } from '../core/storage.js';

const { sender, service } = document.documentElement.dataset;

/** Of this tab: a reload is an app that was killed and comes back. */
export const phone = JSON.parse(readTab('phone')) ?? { key: `phone-${crypto.randomUUID()}` };
export const keep = () => writeTab('phone', JSON.stringify(phone));

let socket = null;
let failures = 0;
let seen = [];

export const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

async function call(path, body, headers) {
  // Without cookies: whoever is signed in to the console in this browser is somebody else.
  const response = await fetch(path, { method: 'POST', credentials: 'omit', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.message ?? response.status);
  return answer;
}

/** A chat of its own. */
export async function instance() {
  phone.chat = (await call(`/genesys/1/service/${service}`, {}, { gms_user: phone.key }))._id;
  keep();
}

/** Does something in the chat. @returns a chat response. */
export const act = (name, fields) =>
  call(`/genesys/1/service/${encodeURIComponent(phone.chat)}/ixn/chat${name}`, fields, { gms_user: phone.key });

export const comet = (...messages) => call('/genesys/cometd', messages, { gms_user: phone.key });

/** Checks in as a device, and registers the app for what the server's own sender sends. */
export async function register() {
  if (phone.token) return;
  const { id, securityToken } = await call('/device/1/checkin', {});
  const { token } = await call('/device/1/register', { app: 'demo.phone', senders: [sender] }, { Authorization: `AidLogin ${id}:${securityToken}` });
  Object.assign(phone, { id, securityToken, token });
  keep();
}

/** Connects as a device, again and again. */
export function dial(arrived) {
  if (!phone.token || socket) return;
  const tell = (value) => socket?.send(JSON.stringify(value));
  socket = new WebSocket(`${location.origin.replace('http', 'ws')}/device/1/socket`);
  socket.onopen = () => tell({ type: 'login', id: phone.id, token: phone.securityToken, received: seen });
  socket.onmessage = ({ data }) => {
    const { type, id, data: content, reason } = JSON.parse(data);
    if (type === 'ready') failures = 0;
    if (type === 'heartbeat') tell({ type: 'alive' });
    if (reason === 'unauthenticated') phone.token = null;
    if (type !== 'message') return;
    tell({ type: 'ack', ids: [id] });
    if (!seen.includes(id)) arrived(content.message);
    seen = [...seen, id].slice(-100);
  };
  socket.onclose = async () => {
    socket = null;
    await pause(Math.min(++failures, 30));
    dial(arrived);
  };
}
