// Shows a page of our own while the table can't be reached. Nothing else is kept: what a seat sees is never stored.
"use strict";
const NAME = {{ name|tojson }}, KEPT = {{ kept|tojson }};
addEventListener("install", (event) => event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(KEPT)).then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((name) => name !== NAME).map((name) => caches.delete(name))))));
addEventListener("fetch", (event) => {
  const { pathname, search } = new URL(event.request.url);
  if (event.request.mode === "navigate") event.respondWith(fetch(event.request).catch(() => caches.match("/offline")));
  else if (KEPT.includes(pathname + search)) event.respondWith(caches.match(event.request).then((kept) => kept ?? fetch(event.request)));
});
