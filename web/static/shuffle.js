// The phone's part in a shuffle that anyone can check: it adds a random share, remembers what it was promised and which
// cards it saw, and at the end checks that all draws follow from the shares (docs/contract.md, "Checkable shuffles").
"use strict";
window.shuffle = (() => {
  const KEY = "tablekeeper-shuffle";
  const MAX_GAMES = 20; // a long evening with its what-ifs; each takes about 10 KB
  const START_MS = 600000; // a share that was given at most this long before a game began belongs to that game
  const WORDS = JSON.parse(document.getElementById("words").textContent);

  // SHA-256 and HMAC. A page without https has no crypto.subtle.

  const roots = { 2: [], 3: [] }; // the first 32 bits of the fractional parts of square and cube roots of primes
  for (let n = 2; roots[3].length < 64; n++) {
    let isPrime = true;
    for (let d = 2; d * d <= n; d++) isPrime &&= n % d !== 0;
    if (!isPrime) continue;
    roots[2].push((Math.sqrt(n) * 2 ** 32) | 0);
    roots[3].push((Math.cbrt(n) * 2 ** 32) | 0);
  }
  const rotate = (x, n) => (x >>> n) | (x << (32 - n));

  function sha256(bytes) {
    const padded = new Uint8Array(((bytes.length + 8) >> 6 << 6) + 64);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    const view = new DataView(padded.buffer);
    view.setUint32(padded.length - 4, bytes.length * 8);
    const hash = roots[2].slice(0, 8);
    const w = new Int32Array(64);
    for (let start = 0; start < padded.length; start += 64) {
      for (let i = 0; i < 64; i++) {
        if (i < 16) {
          w[i] = view.getInt32(start + 4 * i);
          continue;
        }
        const s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >>> 3);
        const s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >>> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
      }
      let [a, b, c, d, e, f, g, h] = hash;
      for (let i = 0; i < 64; i++) {
        const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        const t1 = (h + s1 + ((e & f) ^ (~e & g)) + roots[3][i] + w[i]) | 0;
        const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
      }
      [a, b, c, d, e, f, g, h].forEach((value, i) => (hash[i] = (hash[i] + value) | 0));
    }
    const result = new DataView(new ArrayBuffer(32));
    hash.forEach((value, i) => result.setInt32(4 * i, value));
    return new Uint8Array(result.buffer);
  }

  const joined = (a, b) => new Uint8Array([...a, ...b]);
  function hmac(key, message) {
    const padded = new Uint8Array(64); // all keys here have 32 bytes
    padded.set(key);
    const inner = sha256(joined(padded.map((byte) => byte ^ 0x36), message));
    return sha256(joined(padded.map((byte) => byte ^ 0x5c), inner));
  }
  const fromHex = (hex) => new Uint8Array((hex.match(/../g) ?? []).map((digits) => parseInt(digits, 16)));
  const toHex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const hashOf = (secret) => toHex(sha256(fromHex(secret)));

  // What this phone remembers of the last games, by the commitment to the seed.

  function remembered() {
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? "{}");
    } catch {
      return {};
    }
  }
  const NOTHING = { rounds: {}, acts: {} };
  function remember(commitment, change) {
    const all = remembered();
    const memory = all[commitment] ?? structuredClone(NOTHING);
    change(memory);
    delete all[commitment];
    const kept = Object.entries({ ...all, [commitment]: memory }).slice(-MAX_GAMES); // ordered by their last change
    try {
      localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(kept)));
    } catch {
      /* without storage this phone checks less */
    }
  }

  async function post(body) {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch("/api/share", { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()).counts;
  }

  let answering = Promise.resolve(); // one request at a time: the list of commitments may arrive before an answer
  async function answer({ shuffle, round, commitments }) {
    const own = remembered()[shuffle]?.rounds[round];
    if (!commitments && !own) {
      remember(shuffle, (memory) => (memory.asked ??= Date.now()));
      const share = toHex(crypto.getRandomValues(new Uint8Array(32)));
      const commitment = hashOf(share);
      // Remember it only once it is accepted: another page of this phone may have been faster.
      if (await post({ shuffle, round, commitment })) {
        remember(shuffle, ({ rounds }) => (rounds[round] ??= { share, commitment }));
      }
    } else if (commitments?.includes(own?.commitment)) {
      remember(shuffle, ({ rounds }) => (rounds[round].commitments = commitments));
      await post({ shuffle, round, share: own.share });
    }
  }

  let game = 0; // the game whose events arrive, and the commitment to its seed
  let commitment = "";
  const nameOf = (record) => `${record.game} ${record.started}`;
  function follow(source) {
    source.addEventListener("shuffle", ({ data }) => {
      const record = JSON.parse(data);
      ({ game, commitment } = record);
      remember(commitment, (memory) => {
        memory.game = nameOf(record);
        memory.began ??= Date.now();
      });
    });
    source.addEventListener("shares", ({ data }) => {
      answering = answering.then(() => answer(JSON.parse(data))).catch(() => {});
    });
    source.addEventListener("act", ({ data, lastEventId }) => {
      const [gameId, version] = lastEventId.split(".");
      if (!commitment || String(game) !== gameId) return;
      const { moves } = JSON.parse(data);
      const faces = moves.filter(({ seat }) => seat === "house").map((move) => Object.values(move));
      if (faces.length) remember(commitment, ({ acts }) => (acts[version] ??= faces));
    });
    return source;
  }

  function keyFor({ seed, rounds, shares }, source, number) {
    let key = fromHex(seed);
    rounds.forEach(({ first_draws: first }, n) => {
      if (number < (first[source] ?? 0)) return;
      const ofRound = shares.filter(({ round }) => round === n);
      ofRound.sort((a, b) => (a.commitment < b.commitment ? -1 : 1));
      key = hmac(key, fromHex(ofRound.map(({ share }) => share ?? "").join("")));
    });
    return key;
  }

  function faceFor(key, source, number, options) {
    const count = BigInt(options.reduce((sum, [, weight]) => sum + weight, 0));
    const limit = 2n ** 256n - (2n ** 256n % count);
    let value = limit;
    for (let attempt = 0; value >= limit; attempt++) {
      const message = new TextEncoder().encode(`${source}/${number}/${attempt}`);
      value = BigInt("0x" + toHex(hmac(key, message)));
    }
    let index = Number(value % count);
    return options.find(([, weight]) => (index -= weight) < 0)[0];
  }

  // What is wrong with a shuffle, as a key of WORDS; "" if it is as promised.
  function fault(record, memory) {
    const { seed, shares, draws } = record;
    if (hashOf(seed) !== record.commitment) return "shuffleSeed";
    if (shares.some(({ share, commitment: promised }) => share && hashOf(share) !== promised)) return "shuffleShare";
    for (const [round, { share, commitments }] of Object.entries(memory.rounds)) {
      if (!commitments) continue; // the round went on without this phone
      const ofRound = shares.filter((each) => each.round === Number(round));
      const isSame = ofRound.map((each) => each.commitment).sort().join() === [...commitments].sort().join();
      if (!isSame || !ofRound.some((each) => each.share === share)) return "shuffleShare";
    }
    const left = {};
    for (const { version, source, number, face, options = left[source] } of draws) {
      if (faceFor(keyFor(record, source, number), source, number, options) !== face) return "shuffleDraw";
      left[source] = options.map(([f, n]) => [f, n - (f === face)]).filter(([, n]) => n > 0);
      const seen = memory.acts[version];
      if (seen && !seen.flat().some((value) => value === "?" || String(value) === face)) return "shuffleDraw";
    }
    return "";
  }

  // Whether this phone was promised another seed for this game: in events, or when it was asked for its share.
  function hasOtherPromise(record, memory, others) {
    return Object.values(others).some(({ game: name, asked }) => {
      if (name) return name === nameOf(record);
      return memory && asked <= memory.began && memory.began < asked + START_MS;
    });
  }

  const results = {}; // by game: the sentence, and its class
  async function check(id) {
    const response = await fetch(`/api/shuffle?game=${id}`, { cache: "no-store" });
    const record = await response.json();
    if (!record.seed) return;
    const { [record.commitment]: memory, ...others } = remembered();
    const why = hasOtherPromise(record, memory, others) ? "shuffleSeed" : fault(record, memory ?? NOTHING);
    const count = record.shares.filter(({ share }) => share).length;
    const right = memory?.game ? ["right", WORDS.shuffleRight] : ["", WORDS.shuffleUnseen];
    const [kind, words] = why ? ["wrong", WORDS.shuffleWrong.replace("{why}", WORDS[why])] : right;
    results[id] = { kind, text: words.replace("{draws}", record.draws.length).replace("{shares}", count) };
  }

  // Writes the result into the page; called whenever the page has changed.
  function show() {
    for (const line of document.querySelectorAll("[data-shuffle-game]")) {
      const id = line.dataset.shuffleGame;
      const result = results[id];
      if (result?.text) {
        line.textContent = result.text;
        if (result.kind) line.classList.add(result.kind);
      } else if (line.dataset.shuffle === "revealed" && !result) {
        results[id] = {};
        check(id).then(show, () => delete results[id]);
      }
    }
  }

  return { follow, show, hashOf };
})();
