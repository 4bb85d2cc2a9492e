/** The server's API: one door for all requests. */

import { Emitter } from './emitter.js';
import { setServerDate } from './time.js';
import { t } from './i18n.js';

/** Told when the server knows no session any more. */
export const signedOut = new Emitter();

let csrf = '';
/** The word that each write has to say. */
export const setCSRF = (value) => (csrf = value);

/** What the server refused, or that it was not there. */
export class Failure extends Error {
  /** @param {number} status 0: no answer came. */
  constructor(status, body) {
    super(body?.message ?? '');
    this.status = status;
    this.body = body;
  }

  /** What to tell people: what is wrong, and what to do. */
  get words() {
    const known = { 0: 'error.offline', 401: 'error.signedOut', 403: 'error.forbidden', 404: 'error.gone', 409: 'error.conflict', 413: 'error.large', 429: 'error.often', 503: 'error.busy', 507: 'error.full' };
    const advice = known[this.status] ? t(known[this.status]) : t(this.status >= 500 ? 'error.server' : 'error.refused');
    return this.message && this.status !== 401 ? `${advice} (${this.message})` : advice;
  }
}

/**
 * One request.
 * @param {string} path absolute, as in `/openapi.json`.
 * @param {any} [body] goes as JSON; a `Blob` as it is.
 * @returns {Promise<{data: any, next: string|null, total: number|null, headers: Headers}>} `next` is the cursor of the next page.
 */
export async function request(method, path, body, { signal, headers = {}, credentials = 'same-origin' } = {}) {
  const init = { method, signal, credentials, headers: { Accept: 'application/json', ...headers }, cache: 'no-store' };
  if (method !== 'GET') init.headers['X-CSRF-Token'] = csrf;
  if (body instanceof Blob) {
    init.headers['Content-Type'] = body.type || 'application/octet-stream';
    init.body = body;
  } else if (body !== undefined) {
    init.headers['Content-Type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  const response = await answered(path, init);
  const { headers: told } = response;
  return { data: await content(response), next: nextPage(told.get('Link')), total: total(response), headers: told };
}

async function answered(path, init) {
  let response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Failure(0, null);
  }
  setServerDate(response.headers.get('Date'));
  if (response.ok) return response;
  const failure = new Failure(response.status, await response.json().catch(() => null));
  // A request with a key of its own says nothing about the session.
  if (response.status === 401 && !init.headers.Authorization) signedOut.tell(failure);
  throw failure;
}

async function content(response) {
  if (response.status === 204) return null;
  const text = await response.text();
  const isJSON = (response.headers.get('Content-Type') ?? '').includes('json');
  return isJSON && text ? JSON.parse(text) : text;
}

function total(response) {
  const header = response.headers.get('X-Total-Count');
  return header === null ? null : Number(header);
}

/** The cursor in `Link: <…?after=X>; rel="next"`. */
export function nextPage(header) {
  const address = /<([^>]*)>\s*;\s*rel="?next"?/.exec(header ?? '')?.[1];
  return address ? new URL(address, 'http://localhost').searchParams.get('after') : null;
}

/** The path with its query; null and empty values are left out. */
export function withQuery(path, query = {}) {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== null && value !== undefined && value !== '') parameters.set(key, value);
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

export const get = async (path, query, options) => (await request('GET', withQuery(path, query), undefined, options)).data;
export const list = (path, query, options) => request('GET', withQuery(path, query), undefined, options);
export const post = async (path, body = {}, options) => (await request('POST', path, body, options)).data;
export const put = async (path, body = {}) => (await request('PUT', path, body)).data;
export const del = async (path) => (await request('DELETE', path)).data;

/** A part of a path. */
export const seg = encodeURIComponent;

/** Gives null where this server does not have it (404, 405): parts of the console that are not there are left out. */
export async function ifThere(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Failure && [404, 405, 501].includes(error.status)) return null;
    throw error;
  }
}
