import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { type Clock, parseJson } from '@slipway/kube';
import type { PostToWebhook, WebhookPost } from './call-webhook.js';

/** Bytes that an answer may have. */
const maxBytes = 10 * 1024 * 1024;

/** Calls webhooks over HTTPS. Connections are kept; `close` ends those that idle. */
export function httpsPost(clock: Clock): { readonly post: PostToWebhook; close(): void } {
  const agent = new Agent({ keepAlive: true });
  return {
    close: () => agent.destroy(),
    async post(post) {
      const limit = new AbortController();
      const timer = clock.after(post.timeoutMs, () => limit.abort());
      try {
        const { status, text } = await exchange(post, agent, limit.signal);
        if (status < 200 || status > 299) throw new Error(refusal(status, text));
        return parseJson(text);
      } catch (error) {
        throw new Error(limit.signal.aborted ? tooLate : reasonOf(error), { cause: error });
      } finally {
        timer.cancel();
      }
    },
  };
}

const tooLate = 'context deadline exceeded';

function exchange({ url, endpoint, ca, body }: WebhookPost, agent: Agent, signal: AbortSignal) {
  const options: RequestOptions = {
    agent,
    signal,
    method: 'POST',
    host: endpoint?.host ?? url.hostname.replace(/^\[|\]$/g, ''),
    port: endpoint?.port ?? (url.port || 443),
    servername: /^[\d.]+$|:/.test(url.hostname) ? '' : url.hostname,
    path: `${url.pathname}${url.search}`,
    ...(ca === undefined ? {} : { ca }),
    // As Go has it, a bundle may hold the certificate of the webhook itself.
    allowPartialTrustChain: true,
    headers: {
      host: url.host,
      accept: 'application/json, */*',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'kube-apiserver-admission',
    },
  };
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(options, (answer) => {
      readText(answer).then((text) => resolve({ status: answer.statusCode ?? 0, text }), reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function refusal(status: number, text: string): string {
  if (status === 404) return 'the server could not find the requested resource';
  if (status >= 500)
    return `an error on the server (${JSON.stringify(text.slice(0, 200))}) has prevented the request from succeeding`;
  return 'the server rejected our request for an unknown reason';
}

/** What went wrong, in the words of Go's client where they are known. */
function reasonOf(error: unknown): string {
  const { code, message, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address}:${port}: connect: connection refused`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${(error as { hostname?: string }).hostname}: no such host`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    default:
      return message;
  }
}
