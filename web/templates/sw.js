// Shows the offline page while the table can't be reached. It caches only that page and what it needs: what a seat sees
// is never stored.
"use strict";
const CACHE_NAME = {{ cache_name|tojson }};
const CACHED_URLS = {{ urls|tojson }};

async function fill() {
  const cache = await caches.open(CACHE_NAME);
  await cache.addAll(CACHED_URLS);
  await skipWaiting();
}

async function deleteOldCaches() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE_NAME).map((name) => caches.delete(name)));
}

async function fromCacheFirst(request) {
  return (await caches.match(request)) ?? fetch(request);
}

addEventListener("install", (event) => event.waitUntil(fill()));
addEventListener("activate", (event) => event.waitUntil(deleteOldCaches()));
addEventListener("fetch", (event) => {
  const { pathname, search } = new URL(event.request.url);
  if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(() => caches.match("/offline")));
  } else if (CACHED_URLS.includes(pathname + search)) {
    event.respondWith(fromCacheFirst(event.request));
  }
});
