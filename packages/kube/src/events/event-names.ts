/** Names that sort by the time of an event, then by how many were named before: kubectl shows events of one second by name. */
export function eventNames(random: () => number): (about: string, atMs: number) => string {
  let named = 0;
  return (about, atMs) => {
    const nanoseconds = BigInt(Math.floor(atMs)) * 1_000_000n + BigInt(named++ % 1_000_000);
    const drawn = Math.floor(random() * 0x1_0000);
    return eventName(about, nanoseconds.toString(16) + drawn.toString(16).padStart(4, '0'));
  };
}

/** The name of an event about an object; `unique` tells it from others about the same one. */
export function eventName(about: string, unique: string): string {
  return `${about.slice(0, 230)}.${unique}`;
}
