import type { Duplex } from 'node:stream';
import { badRequest } from '@slipway/api-machinery/errors/status-errors';
import type { ApiAnswer, ApiRequest } from '../request/request.js';
import { type ByteLink, socketLink } from './byte-link.js';
import { acceptKey, webSocketLink } from './web-socket.js';

/** What a subresource can be streamed by, best first. */
export interface Offer {
  /** Subprotocols of WebSockets. */
  readonly webSocket: readonly string[];
  /** Protocols of SPDY/3.1, which older clients ask for in headers of their own. */
  readonly spdy: readonly string[];
}

/** What client and server have agreed on. */
export interface Agreed {
  readonly over: 'websocket' | 'spdy';
  readonly protocol: string;
}

/**
 * Turns the connection of a request into one of `offer`, and has `serve` talk over it.
 * @throws StatusError BadRequest when the client wants something else
 */
export function upgrade(request: ApiRequest, offer: Offer, serve: (link: ByteLink, agreed: Agreed) => void): ApiAnswer {
  const wanted = request.headers.upgrade?.toLowerCase();
  if (wanted === 'websocket') return toWebSocket(request, offer, serve);
  if (wanted === 'spdy/3.1') return toSpdy(request, offer, serve);
  throw badRequest('Upgrade request required');
}

function toWebSocket(request: ApiRequest, { webSocket }: Offer, serve: Parameters<typeof upgrade>[2]): ApiAnswer {
  const asked = listed(request.headers['sec-websocket-protocol']);
  const protocol = webSocket.find((each) => asked.includes(each));
  const key = request.headers['sec-websocket-key'];
  if (key === undefined) throw badRequest('the WebSocket handshake has no Sec-WebSocket-Key');
  if (protocol === undefined)
    throw badRequest(`no WebSocket protocol in common: this server has ${webSocket.join(', ')}`);
  return switched(
    { upgrade: 'websocket', 'sec-websocket-accept': acceptKey(key), 'sec-websocket-protocol': protocol },
    (socket, head) =>
      serve(webSocketLink(socketLink(socket, head), protocol.includes('base64') ? 'text' : 'binary'), {
        over: 'websocket',
        protocol,
      }),
  );
}

function toSpdy(request: ApiRequest, { spdy }: Offer, serve: Parameters<typeof upgrade>[2]): ApiAnswer {
  const name = 'x-stream-protocol-version';
  const asked = (request.allHeaders?.()[name] ?? [request.headers[name] ?? '']).flatMap(listed);
  const protocol = spdy.find((each) => asked.includes(each));
  if (protocol === undefined) throw badRequest(`no SPDY protocol in common: this server has ${spdy.join(', ')}`);
  return switched({ upgrade: 'SPDY/3.1', [name]: protocol }, (socket, head) =>
    serve(socketLink(socket, head), { over: 'spdy', protocol }),
  );
}

function switched(headers: Readonly<Record<string, string>>, take: (socket: Duplex, head: Buffer) => void): ApiAnswer {
  return { status: 101, headers: { ...headers, connection: 'Upgrade' }, payload: { kind: 'upgrade', take } };
}

function listed(header: string | undefined): readonly string[] {
  return (header ?? '').split(',').map((each) => each.trim());
}
