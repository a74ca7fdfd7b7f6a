// Ids that a screen makes up: keys of requests and of drafts. UUIDs of version 7, also where a page over plain HTTP has no `randomUUID`.

let last = 0;

/** A new id, later than every one before it. @returns {string} */
export function newId() {
  last = Math.max(Date.now(), last + 1);
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  for (let at = 0; at < 6; at += 1) bytes[at] = Math.floor(last / 2 ** (8 * (5 - at))) % 256;
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
