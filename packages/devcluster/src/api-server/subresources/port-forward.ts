import { createServer, type Server } from 'node:http';
import { Duplex } from 'node:stream';
import type { Pod } from '../../controllers/api/pods.js';
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
    const server = answeringFor(pod);
    const halves = new Map<string, SpdyStream>();
    serveSpdy(link, {
      onStream(stream) {
        const { streamtype, requestid = '', port = '' } = stream.headers;
        const other = halves.get(requestid);
        if (!other) return void halves.set(requestid, stream);
        halves.delete(requestid);
        const [data, error] = streamtype === 'data' ? [stream, other] : [other, stream];
        connect(pod, Number(port), server, data, error);
      },
      onEnd: () => server.closeAllConnections(),
    });
  });
}

/** Somebody listens on the ports that running containers name; on others nobody does. */
function connect(pod: Pod, port: number, server: Server, data: SpdyStream, error: SpdyStream): void {
  const running = new Set(pod.status?.containerStatuses?.flatMap(({ name, state }) => (state.running ? [name] : [])));
  const listening = pod.spec.containers
    .filter(({ name }) => running.has(name))
    .flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort));
  if (!listening.includes(port)) {
    const why = `dial tcp4 127.0.0.1:${port}: connect: connection refused`;
    error.write(Buffer.from(`failed to connect to localhost:${port} inside the simulated pod: ${why}`));
  } else server.emit('connection', socketOver(data, port));
  error.end();
  if (!listening.includes(port)) data.end();
}

/** What a simulated container answers on its ports: which pod and port it is, and what it was asked. */
function answeringFor({ metadata: { namespace, name } }: Pod): Server {
  return createServer((request, response) => {
    const { localPort } = request.socket;
    const text = `pod ${namespace}/${name} answers on port ${localPort}: ${request.method} ${request.url}\n`;
    response.setHeader('content-type', 'text/plain');
    response.end(text);
  });
}

function socketOver(stream: SpdyStream, port: number): Duplex {
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      stream.write(chunk);
      done();
    },
    final(done) {
      stream.end();
      done();
    },
  });
  stream.listen(
    (bytes) => void socket.push(bytes),
    () => void socket.push(null),
  );
  return Object.assign(socket, { localPort: port });
}
