// What a phone may do besides showing pages: chime, buzz, read aloud, keep its screen on. Each phone chooses its own.
"use strict";
window.senses = (() => {
  const KEY = "tablekeeper-senses";
  const USUAL = { sound: false, buzz: true, voice: false, awake: true };
  const ABLE = {
    sound: "AudioContext" in window,
    buzz: "vibrate" in navigator,
    voice: "speechSynthesis" in window,
    awake: "wakeLock" in navigator,
  };
  let chosen = {};
  let player = null;
  let lock = null;
  try {
    chosen = JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    /* no storage: the usual settings */
  }
  const wants = (name) => ABLE[name] && (chosen[name] ?? USUAL[name]);

  function choose(name, on) {
    chosen = { ...chosen, [name]: on };
    try {
      localStorage.setItem(KEY, JSON.stringify(chosen));
    } catch {
      /* no storage: it holds for this page */
    }
    if (name === "voice" && !on && ABLE.voice) speechSynthesis.cancel();
    if (name === "awake") stayAwake();
    if (on) ({ sound: chime, buzz, voice: () => say(document.title) })[name]?.();
  }

  // Browsers allow sound and vibration only after the page has been touched; before that they stay silent.
  function chime() {
    player ??= new AudioContext();
    player.resume().then(
      () => [660, 880].forEach((pitch, n) => note(pitch, player.currentTime + n * 0.16)),
      () => {},
    );
  }
  function note(pitch, at) {
    const tone = player.createOscillator();
    const volume = player.createGain();
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0, at);
    volume.gain.linearRampToValueAtTime(0.25, at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.4);
    tone.connect(volume).connect(player.destination);
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

  // Tells what happened. `isCall`: whether it asks something of whoever holds this phone.
  function tell(words, isCall) {
    if (isCall && wants("sound")) chime();
    if (isCall && wants("buzz")) buzz();
    if (wants("voice")) say(words);
  }

  async function stayAwake() {
    const on = wants("awake") && !document.hidden && document.querySelector("[data-events]");
    if (!on) {
      lock?.release();
      lock = null;
      return;
    }
    try {
      lock ??= await navigator.wakeLock.request("screen");
      lock.onrelease = () => {
        lock = null;
      };
    } catch {
      lock = null;
    }
  }
  document.addEventListener("visibilitychange", stayAwake);
  document.addEventListener("click", stayAwake, { once: true });

  for (const box of document.querySelectorAll("[data-sense]")) {
    const name = box.dataset.sense;
    box.checked = wants(name);
    box.disabled = !ABLE[name];
    box.closest("li").classList.toggle("unable", !ABLE[name]);
    box.addEventListener("change", () => choose(name, box.checked));
  }
  stayAwake();
  return { tell };
})();
