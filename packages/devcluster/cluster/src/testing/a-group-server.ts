import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Certificates } from '../issue-certificates.js';

/** What a server of another group was asked. */
export interface GroupRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Common name of the certificate that the client showed. */
  readonly client: string;
}

/** A server that answers for `metrics.example.com/v1`, as a process beside a cluster would. */
export interface GroupServer {
  readonly port: number;
  readonly asked: GroupRequest[];
  close(): void;
}

/** Starts one that answers clients with certificates of these alone; `answer` is for all but its discovery documents; `openapi` is the index of those with schemas. */
export async function aGroupServer(
  { ca, serving }: Pick<Certificates, 'ca' | 'serving'>,
  answer: (request: GroupRequest, response: ServerResponse) => void,
  openapi: string = JSON.stringify({ paths: documents }),
): Promise<GroupServer> {
  const asked: GroupRequest[] = [];
  const options = { cert: serving.certificate, key: serving.key, ca: ca.certificate, requestCert: true };
  const server = createServer(options, async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    const client = String((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
    const got = { method, path, headers, body: Buffer.concat(chunks).toString(), client };
    asked.push(got);
    if (path === '/apis/metrics.example.com/v1') response.end(JSON.stringify(resources));
    else if (path === '/openapi/v3') response.end(openapi);
    else answer(got, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const documents = {
  'apis/metrics.example.com/v1': { serverRelativeURL: '/openapi/v3/apis/metrics.example.com/v1?hash=1' },
  'apis/other.example.com/v1': { serverRelativeURL: '/openapi/v3/apis/other.example.com/v1?hash=2' },
};
const verbs = ['get', 'list'];
const resources = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: 'metrics.example.com/v1',
  resources: [
    { name: 'gauges', singularName: 'gauge', namespaced: true, kind: 'Gauge', verbs, shortNames: ['ga'] },
    { name: 'gauges/status', singularName: '', namespaced: true, kind: 'Gauge', verbs: ['get'] },
  ],
};
