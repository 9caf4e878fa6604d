import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Certificates, issueCertificates } from '@slipway/devcluster/issue-certificates';

/** What a webhook is asked: `request` of an AdmissionReview. */
// biome-ignore lint/suspicious/noExplicitAny: objects of any kind
export type ReviewRequest = any;

/** What it answers: `response` without its uid, or a whole body, or nothing ever. */
export type Answer = (
  request: ReviewRequest,
) => { readonly response: object } | { readonly body: object | string; readonly status?: number } | 'silence';

/** A webhook server on a port of its own; it remembers what it was asked. */
export interface WebhookServer {
  readonly url: string;
  readonly port: number;
  /** The authority of its certificate, in base64. */
  readonly caBundle: string;
  /** Its certificate, in base64. */
  readonly certificate: string;
  readonly asked: ReviewRequest[];
  answer: Answer;
  close(): void;
}

let issued: Promise<Certificates> | undefined;

export async function aWebhookServer(names = ['127.0.0.1', 'hook.default.svc']): Promise<WebhookServer> {
  issued ??= issueCertificates({ ca: undefined, serving: undefined, admin: undefined, names, nowMs: Date.now() });
  const { ca, serving } = await issued;
  const asked: ReviewRequest[] = [];
  const server: Server = createServer({ cert: serving.certificate, key: serving.key }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString());
    asked.push({ ...review.request, path: request.url, apiVersion: review.apiVersion });
    const given = webhook.answer(review.request);
    if (given === 'silence') return;
    if ('body' in given) {
      response.statusCode = given.status ?? 200;
      response.end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body));
      return;
    }
    const { apiVersion, kind } = review;
    response.end(JSON.stringify({ apiVersion, kind, response: { uid: review.request.uid, ...given.response } }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const webhook: WebhookServer = {
    port,
    url: `https://127.0.0.1:${port}/check`,
    caBundle: Buffer.from(ca.certificate).toString('base64'),
    certificate: Buffer.from(serving.certificate).toString('base64'),
    asked,
    answer: () => ({ response: { allowed: true } }),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return webhook;
}
