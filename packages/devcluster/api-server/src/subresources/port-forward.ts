import type { Duplex } from 'node:stream';
import { badRequest, methodNotSupported } from '@slipway/api-machinery/errors/status-errors';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { NodeConnection } from '@slipway/kube-objects/node-connection/node-connection';
import type { Call, Core } from '../core/core.js';
import type { ApiAnswer } from '../request/request.js';
import { type PortStreams, portChannels } from '../streaming/port-channels.js';
import { type SpdyStream, serveSpdy } from '../streaming/spdy-connection.js';
import { upgrade } from '../streaming/upgrade.js';
import { podOnNode } from './container-view.js';

const protocol = 'portforward.k8s.io';
/** SPDY in the messages of a WebSocket. */
const tunnel = `SPDY/3.1+${protocol}`;
const channels = 'v4.channel.k8s.io';

/**
 * Lets a client connect to ports of a pod, as often as it likes: each connection is a pair of streams. Clients without
 * SPDY name the ports in their request, and are connected to each of them once.
 */
export function portForward(core: Core, call: Call): ApiAnswer {
  const { method } = call.request;
  if (method !== 'GET' && method !== 'POST') throw methodNotSupported(call.definition, method.toLowerCase());
  const pod = podOnNode(core, call);
  const ports = wantedPorts(call);
  const offer = { webSocket: [tunnel, ...(ports.length > 0 ? [channels] : [])], spdy: [protocol] };
  return upgrade(call.request, offer, (link, agreed) => {
    const connections = { open: new Set<Duplex>(), isOver: false };
    const end = () => {
      connections.isOver = true;
      for (const socket of connections.open) socket.destroy();
    };
    if (agreed.protocol === channels) {
      const pairs = portChannels(link, ports, end);
      for (const [at, pair] of pairs.entries()) void join(core.nodes, pod, ports[at] ?? 0, pair, connections);
      return;
    }
    const halves = new Map<string, SpdyStream>();
    serveSpdy(link, {
      onStream(stream) {
        const { streamtype, requestid = '', port = '' } = stream.headers;
        const other = halves.get(requestid);
        if (!other) return void halves.set(requestid, stream);
        halves.delete(requestid);
        const [data, error] = streamtype === 'data' ? [stream, other] : [other, stream];
        void join(core.nodes, pod, Number(port), { data, error }, connections);
      },
      onEnd: end,
    });
  });
}

/**
 * @throws StatusError BadRequest when a named port is invalid, or none is named and the client cannot name one later
 */
function wantedPorts({ request: { headers }, query }: Call): readonly number[] {
  const ports = query.all('ports').flatMap((text) => text.split(','));
  for (const port of ports) {
    if (!/^\d+$/.test(port) || Number(port) > 65_535) throw badRequest(`unable to parse "${port}" as a port`);
    if (Number(port) === 0) throw badRequest(`port "${port}" must be > 0`);
  }
  const offered = headers['sec-websocket-protocol'] ?? '';
  if (ports.length === 0 && offered.includes(channels) && !offered.includes(tunnel)) {
    throw badRequest('query parameter "port" is required');
  }
  return ports.map(Number);
}

/**
 * Joins a pair of streams to a port of the pod. A port on which no process listens reports that without affecting the
 * others.
 */
async function join(
  nodes: NodeConnection,
  pod: Pod,
  port: number,
  { data, error }: PortStreams,
  connections: { readonly open: Set<Duplex>; readonly isOver: boolean },
): Promise<void> {
  try {
    const socket = await nodes.connect(pod, port);
    socket.on('error', () => socket.destroy());
    if (connections.isOver) return void socket.destroy();
    connections.open.add(socket);
    socket.once('close', () => connections.open.delete(socket));
    socket.on('data', (bytes: Buffer) => data.write(bytes));
    socket.once('close', () => data.end());
    socket.once('end', () => socket.end());
    data.listen(
      (bytes) => void (socket.writable && socket.write(bytes)),
      () => void socket.end(),
    );
  } catch (refused) {
    const why = `dial tcp4 127.0.0.1:${port}: connect: ${(refused as Error).message}`;
    error.write(Buffer.from(`failed to connect to localhost:${port} inside the simulated pod: ${why}`));
    data.end();
  } finally {
    error.end();
  }
}
