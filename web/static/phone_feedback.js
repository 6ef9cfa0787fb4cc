// What a phone can do besides showing pages: chime, buzz, read aloud, keep its screen on. Each phone has its own
// settings.
"use strict";
window.senses = (() => {
  const KEY = "tablekeeper-senses";
  const DEFAULTS = { sound: false, buzz: true, voice: false, awake: true };
  const SUPPORTED = {
    sound: "AudioContext" in window,
    buzz: "vibrate" in navigator,
    voice: "speechSynthesis" in window,
    awake: "wakeLock" in navigator,
  };
  let settings = {};
  let audio = null;
  let wakeLock = null;
  try {
    settings = JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    /* without storage: the default settings */
  }
  // When the player says who they are, the table sends their settings once, in a cookie.
  const HANDED_OVER = /(?:^|; )tablekeeper-senses=([^;]*)/.exec(document.cookie)?.[1];
  if (HANDED_OVER) {
    document.cookie = "tablekeeper-senses=; Max-Age=0; Path=/; SameSite=Lax";
    settings = { ...settings, ...JSON.parse(decodeURIComponent(HANDED_OVER)) };
    store();
  }
  const isEnabled = (name) => SUPPORTED[name] && (settings[name] ?? DEFAULTS[name]);

  function store() {
    try {
      localStorage.setItem(KEY, JSON.stringify(settings));
    } catch {
      /* without storage the settings hold for this page only */
    }
  }

  function choose(name, on) {
    settings = { ...settings, [name]: on };
    store();
    const body = new URLSearchParams({ sense: name, on });
    fetch("/settings", { method: "POST", body, redirect: "manual", keepalive: true }).catch(() => {});
    if (name === "voice" && !on && SUPPORTED.voice) speechSynthesis.cancel();
    if (name === "awake") stayAwake();
    if (on) ({ sound: chime, buzz, voice: () => say(document.title) })[name]?.();
  }

  // Browsers allow sound and vibration only after the page has been touched; before that they stay silent.
  function chime() {
    audio ??= new AudioContext();
    audio.resume().then(
      () => [660, 880].forEach((pitch, n) => note(pitch, audio.currentTime + n * 0.16)),
      () => {},
    );
  }
  function note(pitch, at) {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0, at);
    volume.gain.linearRampToValueAtTime(0.25, at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.4);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 0.45);
  }
  function buzz() {
    if (navigator.userActivation?.hasBeenActive) navigator.vibrate(80);
  }
  function say(words) {
    const speech = new SpeechSynthesisUtterance(words);
    speech.lang = document.documentElement.lang;
    speechSynthesis.speak(speech);
  }

  // Reports what happened. `isCall`: whether this phone's player must do something.
  function notify(words, isCall) {
    if (isCall && isEnabled("sound")) chime();
    if (isCall && isEnabled("buzz")) buzz();
    if (isEnabled("voice")) say(words);
  }

  async function stayAwake() {
    const on = isEnabled("awake") && !document.hidden && document.querySelector("[data-events]");
    if (!on) {
      wakeLock?.release();
      wakeLock = null;
      return;
    }
    try {
      wakeLock ??= await navigator.wakeLock.request("screen");
      wakeLock.onrelease = () => {
        wakeLock = null;
      };
    } catch {
      wakeLock = null;
    }
  }
  document.addEventListener("visibilitychange", stayAwake);
  document.addEventListener("click", stayAwake, { once: true });

  for (const box of document.querySelectorAll("[data-sense]")) {
    const name = box.dataset.sense;
    box.checked = isEnabled(name);
    box.disabled = !SUPPORTED[name];
    box.closest("li").classList.toggle("unable", !SUPPORTED[name]);
    box.addEventListener("change", () => choose(name, box.checked));
  }
  stayAwake();
  return { notify };
})();
