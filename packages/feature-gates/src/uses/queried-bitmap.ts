/**
 * Which gates of a vector were read, as base64 of one bit per gate in the order of
 * the vector, lowest bit first. Undefined when none was: nothing is said then.
 */
export function queriedBitmap(gates: readonly string[], wasRead: (gate: string) => boolean): string | undefined {
  const bits = Buffer.alloc(Math.ceil(gates.length / 8));
  let any = false;
  gates.forEach((gate, index) => {
    if (!wasRead(gate)) return;
    any = true;
    bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  });
  return any ? bits.toString('base64') : undefined;
}

/** The opposite of `queriedBitmap`: the names that were read. Bits beyond the vector are ignored. */
export function queriedGates(gates: readonly string[], bitmap: string | undefined): string[] {
  const bits = Buffer.from(bitmap ?? '', 'base64');
  return gates.filter((_gate, index) => ((bits[index >> 3] ?? 0) >> (index & 7)) & 1);
}
