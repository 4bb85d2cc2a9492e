/** Who is signed in. */

import { del, Failure, get, post, seg, setCSRF } from './api.js';
import { forgetTabAll } from './storage.js';

/** Wherever the pages lie. */
const base = '/console/1';
const path = `${base}/session`;

/** The session, or null: `{name, role, services?, csrf, idleSeconds, expiresAt}`. */
export let session = null;

const roles = {
  agent: ['agent'],
  supervisor: ['agent', 'supervisor'],
  bot: ['agent'],
  admin: ['operator', 'developer'],
  sender: ['developer'],
};

/** Whether that part of the console is this person's: `agent`, `supervisor`, `operator`, `developer`. */
export const may = (part) => (roles[session?.role?.toLowerCase()] ?? []).includes(part);
export const isRole = (role) => session?.role?.toLowerCase() === role;

function take(data) {
  session = data;
  setCSRF(data?.csrf ?? '');
  return data;
}

/**
 * What stands behind `#` is taken out of the address before anything else happens: the `code` of a one-time link, or the `error`
 * of a provider that has signed nobody in.
 */
export function fromAddress(name) {
  const [key, value] = location.hash.slice(1).split('=');
  if (key !== name || !value) return null;
  history.replaceState(null, '', location.pathname + location.search);
  return value;
}

/** The other ways to sign in: `{openid?: {title, url}}`. */
export const ways = () => get(`${base}/sign-in-ways`).catch(() => ({}));

/** The session of this browser's cookie, if there is one. */
export async function restore() {
  try {
    return take(await get(path));
  } catch (error) {
    if (error instanceof Failure && (error.status === 401 || error.status === 404)) return take(null);
    throw error;
  }
}

/** @param {{token: string}|{code: string}} proof */
export const signIn = async (proof) => take(await post(path, proof));

/** Ends the session and forgets what was typed. */
export async function signOut() {
  await del(path).catch((error) => {
    if (error.status !== 401) throw error;
  });
  forgetTabAll();
  take(null);
}

/** The server does not know the session any more; what was typed stays. */
export const lose = () => take(null);

export const sessions = `${base}/sessions`;
export const endSession = (id) => del(`${sessions}/${seg(id)}`);
