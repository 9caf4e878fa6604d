import { request } from 'node:https';
import type { Post } from './webhook.js';

const mostMs = 30_000;
const mostBytes = 64 * 1024;

/** Posts JSON over HTTPS and reads the answer, at most 64 KiB of it. Follows no redirect. */
export const httpsPost: Post<object> = ({ url, caBundle, timeoutMs = mostMs }, body, headers, signal) =>
  new Promise((resolve, reject) => {
    const limitMs = Math.min(timeoutMs, mostMs);
    const limit = AbortSignal.timeout(limitMs);
    const within = AbortSignal.any([signal, limit]);
    const fail = (error: Error) => {
      const { origin, pathname } = new URL(url);
      const isLate = limit.aborted && !signal.aborted;
      reject(isLate ? new Error(`${origin}${pathname} gave no answer within ${limitMs / 1_000} s`) : error);
    };
    const call = request(
      url,
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        signal: within,
        ...(caBundle !== undefined && { ca: caBundle }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > mostBytes) call.destroy(new Error(`the answer is longer than ${mostBytes / 1024} KiB`));
          else chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString('utf8')) });
        });
      },
    );
    call.on('error', fail);
    call.end(JSON.stringify(body));
  });

/** An answer that is not JSON has no phase either. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
