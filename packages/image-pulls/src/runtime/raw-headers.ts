import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';

/** Headers that a sender may not repeat; a second one was dropped when they were read. */
const single = new Set([
  'content-type',
  'te',
  'user-agent',
  'authorization',
  'grpc-timeout',
  'grpc-encoding',
  'grpc-accept-encoding',
  'content-length',
  'host',
]);

/**
 * Headers to send on as they came. Node joins those that are repeated, which in
 * metadata turns two values into one, so the list as received is taken for them.
 */
export function sendable(headers: IncomingHttpHeaders, raw: readonly string[]): OutgoingHttpHeaders {
  const sent: OutgoingHttpHeaders = { ...headers };
  if (raw.length / 2 === Object.keys(headers).length) return sent;
  const values = new Map<string, string[]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    values.set(name, [...(values.get(name) ?? []), raw[at + 1] ?? '']);
  }
  for (const [name, all] of values) {
    if (all.length > 1 && !name.startsWith(':') && !single.has(name)) sent[name] = all;
  }
  return sent;
}
