/**
 * Shows Carillon's pushes, and leads a click on one to the page. A service worker has to come from the page's own
 * origin: serve this file there, or a file with the one line `importScripts('https://chat.example/client/carillon-worker.js');`.
 *
 * With `?title=…&icon=…&url=…` behind its name: what stands in place of what a push does not say.
 */

const told = new URL(self.location.href).searchParams;

// A new one takes over at once: an old one would not know what the page of today says.
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

/** What is to be shown, whatever has come: browsers end subscriptions of workers that show nothing. */
function shown(text) {
  let push = {};
  try { push = JSON.parse(text) ?? {}; } catch { push = { body: text }; }
  const inner = push.data && typeof push.data === 'object' ? push.data : push;
  const last = Array.isArray(inner.lastTranscript) ? Object.values(inner.lastTranscript.at(-1) ?? {})[0] : undefined;
  const words = [push.body, last, inner.message].find((one) => typeof one === 'string' && one) ?? '';
  return {
    title: typeof push.title === 'string' && push.title ? push.title : told.get('title') ?? self.location.host,
    // The next one takes its place: nobody wants ten of one chat.
    options: { body: words.slice(0, 500), icon: told.get('icon') ?? undefined, tag: String(push.thread_id ?? 'carillon'), renotify: true, data: inner },
  };
}

self.addEventListener('push', (event) => {
  const { title, options } = shown(event.data?.text() ?? '');
  event.waitUntil(self.registration.showNotification(title, options));
});

const pages = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true });

self.addEventListener('notificationclick', (event) => {
  const { data } = event.notification;
  event.notification.close();
  event.waitUntil(pages().then(async ([page]) => {
    const opened = page ? await page.focus().catch(() => page) : await self.clients.openWindow(told.get('url') ?? self.registration.scope);
    opened?.postMessage({ carillon: 'opened', data });
  }));
});

self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil((async () => {
    const { options } = event.oldSubscription ?? {};
    let subscription = event.newSubscription ?? null;
    if (!subscription && options) subscription = await self.registration.pushManager.subscribe(options).catch(() => null);
    // Is no page open, the next one that is asks by itself: `subscribeToPush` at each visit.
    const push = subscription && { type: 'webpush', deviceID: JSON.stringify(subscription) };
    for (const page of await pages()) page.postMessage({ carillon: 'subscription', push });
  })());
});
