import type { GateFrame } from './transport.js';

/** Longest frame of a watch that is read. An object of the API cannot be larger than a few MiB. */
const longestLine = 16 * 1024 * 1024;

/** Reads the frames of a watch: one JSON object per line. Throws when a line is not one. */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<GateFrame> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longestLine) throw new Error('a frame of the watch is too long');
    for (const line of lines) if (line.trim() !== '') yield readFrame(line);
  }
  if (rest.trim() !== '') yield readFrame(rest);
}

function readFrame(line: string): GateFrame {
  const frame: unknown = JSON.parse(line);
  if (typeof frame !== 'object' || frame === null || !('type' in frame) || typeof frame.type !== 'string') {
    throw new Error('a frame of the watch has no type');
  }
  return { type: frame.type, object: 'object' in frame ? frame.object : undefined };
}
