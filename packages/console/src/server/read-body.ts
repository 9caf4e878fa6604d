import type { IncomingMessage } from 'node:http';

/** Nothing that a page sends is larger. */
const maxBytes = 64 * 1024;

/** Reads the JSON object that a request carries; an empty one where it carries something else. @throws RangeError when it is too large */
export async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new RangeError('the request is too large');
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
