import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { type Clock, parseJson } from '@slipway/kube';
import type { PostToWebhook, WebhookPost } from './ask-webhook.js';

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
        const { status, text, isText } = await exchange(post, agent, limit.signal);
        return answerIn(status, text, isText);
      } catch (error) {
        if (error instanceof AnswerError) throw error;
        const why = limit.signal.aborted ? tooLate : reasonOf(error);
        throw new Error(`Post ${JSON.stringify(post.address)}: ${why}`, { cause: error });
      } finally {
        timer.cancel();
      }
    },
  };
}

const tooLate = 'context deadline exceeded';

function exchange({ address, endpoint, ca, body }: WebhookPost, agent: Agent, signal: AbortSignal) {
  const url = new URL(address);
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
  return new Promise<{ status: number; text: string; isText: boolean }>((resolve, reject) => {
    const sent = request(options, (answer) => {
      const type = answer.headers['content-type'] ?? '';
      const isText = type === '' || type.startsWith('text/');
      readText(answer).then((text) => resolve({ status: answer.statusCode ?? 0, text, isText }), reject);
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

/** The webhook answered, and not with JSON that says something. */
class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

/** @throws AnswerError */
function answerIn(status: number, text: string, isText: boolean): unknown {
  if (status < 200 || status > 299) throw new AnswerError(refusal(status, isText ? text : 'unknown'));
  if (text === '')
    throw new AnswerError(`0-length response with status code: ${status} and content type: application/json`);
  try {
    return parseJson(text);
  } catch (cause) {
    throw new AnswerError(`couldn't get version/kind; json parse error: ${(cause as Error).message}`, { cause });
  }
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
