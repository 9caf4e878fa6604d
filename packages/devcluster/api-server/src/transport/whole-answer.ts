import type { ServerResponse } from 'node:http';
import type { Gzip } from 'node:zlib';

/** What the headers of an answer may take beside its body, in bytes. */
const headerRoom = 4 * 1024;

/**
 * Ends an answer of known length with its body.
 *
 * The last byte of one that fills the buffer of its socket waits until the rest has left. A client that has all of it
 * may send its next request at once, and Node 20 to 24 stop reading when a request comes while the socket wants to be
 * drained; over TLS they cannot stop in the middle of what was decrypted already, and take the rest for no HTTP.
 */
export async function endWith(response: ServerResponse, body: Uint8Array | string, coding: 'latin1' | 'utf8' = 'utf8') {
  if (body.length + headerRoom < response.writableHighWaterMark) {
    response.end(body, coding);
    return;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body, coding) : body;
  if (await written(response, bytes.subarray(0, -1))) response.end(bytes.subarray(-1));
}

/** Whether the slice has left; the client may have gone away before. */
export function written(out: ServerResponse | Gzip, slice: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    const gone = () => resolve(false);
    out.once('close', gone);
    out.write(slice, (error) => {
      out.off('close', gone);
      resolve(!error && !out.destroyed);
    });
  });
}
