// See background.js for why the console.
self.addEventListener("push", (event) => {
  console.log(JSON.stringify({ push: event.data ? event.data.text() : null }));
  event.waitUntil(self.registration.showNotification("A push came"));
});
self.addEventListener("pushsubscriptionchange", () => console.log(JSON.stringify({ subscriptionChange: true })));
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
