import { type RequestOptions, request } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Step } from '../scenario.js';
import type { Answer } from './runner.js';

/** Sends one request as it stands in the scenario: nothing is added but who asks, and that bodies are JSON. */
export async function sendRequest(config: KubeConfig, step: Step): Promise<Answer> {
  const [method = 'GET', path = '/'] = (step.api ?? '').split(' ');
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  if (step.anonymous) {
    delete options.cert;
    delete options.key;
    delete options.agent;
    delete options.headers;
    options.ca = config.getCurrentCluster()?.caData
      ? Buffer.from(config.getCurrentCluster()?.caData ?? '', 'base64')
      : undefined;
  }
  const body = typeof step.body === 'string' || step.body === undefined ? step.body : JSON.stringify(step.body);
  // A DELETE says the length of its body only when it is told to.
  const described =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const headers = { ...options.headers, ...described, ...step.headers };
  const server = config.getCurrentCluster()?.server ?? '';
  return await new Promise((resolve, reject) => {
    const sent = request(new URL(path, server), { ...options, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString();
        const answered = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({ code: response.statusCode ?? 0, headers: Object.fromEntries(answered), body: bodyOf(text) });
      });
    });
    sent.setTimeout(30_000, () => sent.destroy(new Error(`${step.api}: no answer within 30 s`)));
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Watches answer with one JSON value for each line. */
function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
