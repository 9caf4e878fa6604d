import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Duplex, duplexPair, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { errorMessage } from '@slipway/kube';
import type { ContainerPort } from './container-port.js';

type Handler = (request: Request) => Response | Promise<Response>;

/** Returns a handler that answers with its pod, the port and the request. */
export function usualAnswer({ pod: { metadata }, port }: ContainerPort): Handler {
  return ({ method, url }) => {
    const { pathname, search } = new URL(url);
    const text = `pod ${metadata.namespace}/${metadata.name} answers on port ${port}: ${method} ${pathname}${search}\n`;
    return new Response(text, { headers: { 'content-type': 'text/plain' } });
  };
}

/** The client's end of a connection on which `handler` answers HTTP. A handler that fails answers 500, and why. */
export function answeredBy(handler: Handler, port: number): Duplex {
  const [client, container] = duplexPair();
  const server = createServer((request, response) => {
    answer(handler, port, request, response).catch(() => response.destroy());
  });
  container.on('error', () => {});
  client.once('close', () => container.destroy());
  server.emit('connection', container);
  return client;
}

async function answer(
  handler: Handler,
  port: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let given: Response;
  try {
    given = await handler(fetchRequest(port, request));
  } catch (error) {
    given = new Response(`${errorMessage(error)}\n`, { status: 500 });
  }
  const headers = [...given.headers].filter(([name]) => name !== 'set-cookie');
  for (const [name, value] of headers) response.setHeader(name, value);
  const cookies = given.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  response.writeHead(given.status);
  if (given.body) await pipeline(Readable.fromWeb(given.body as ReadableStream), response);
  else response.end();
}

function fetchRequest(port: number, request: IncomingMessage): Request {
  const { method = 'GET', url = '/', headersDistinct } = request;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(`http://localhost:${port}${url.startsWith('/') ? url : '/'}`, {
    method,
    headers,
    ...(hasBody && { body: Readable.toWeb(request) as NonNullable<RequestInit['body']>, duplex: 'half' }),
  });
}
