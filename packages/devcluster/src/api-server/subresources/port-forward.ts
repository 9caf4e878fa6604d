import type { Duplex } from 'node:stream';
import type { Pod } from '../../controllers/api/pods.js';
import type { ContainerPorts } from '../../kubelet/ports/container-ports.js';
import { methodNotSupported } from '../../registry/status-errors.js';
import type { Call, Core } from '../core.js';
import type { ApiAnswer } from '../request.js';
import { type SpdyStream, serveSpdy } from '../streaming/spdy-connection.js';
import { upgrade } from '../streaming/upgrade.js';
import { podOnNode } from './container-view.js';

const protocol = 'portforward.k8s.io';

/** Lets a client connect to ports of a pod, as often as it likes: each connection is a pair of streams. */
export function portForward(core: Core, call: Call): ApiAnswer {
  const { method } = call.request;
  if (method !== 'GET' && method !== 'POST') throw methodNotSupported(call.definition, method.toLowerCase());
  const pod = podOnNode(core, call);
  const offer = { webSocket: [`SPDY/3.1+${protocol}`], spdy: [protocol] };
  return upgrade(call.request, offer, (link) => {
    const connections = { open: new Set<Duplex>(), isOver: false };
    const halves = new Map<string, SpdyStream>();
    serveSpdy(link, {
      onStream(stream) {
        const { streamtype, requestid = '', port = '' } = stream.headers;
        const other = halves.get(requestid);
        if (!other) return void halves.set(requestid, stream);
        halves.delete(requestid);
        const [data, error] = streamtype === 'data' ? [stream, other] : [other, stream];
        void join(core.nodes.ports, pod, Number(port), { data, error }, connections);
      },
      onEnd() {
        connections.isOver = true;
        for (const socket of connections.open) socket.destroy();
      },
    });
  });
}

/** Joins a pair of streams to a port of the pod. A port on which nobody listens says so, and leaves the others alone. */
async function join(
  ports: ContainerPorts,
  pod: Pod,
  port: number,
  { data, error }: { readonly data: SpdyStream; readonly error: SpdyStream },
  connections: { readonly open: Set<Duplex>; readonly isOver: boolean },
): Promise<void> {
  try {
    const socket = await ports.connect(pod, port);
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
