import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';
import { answeredBy, usualAnswer } from './answer-http.js';
import type { PortBackend, PortBackends } from './container-port.js';
import { type ServerContext, testServerAnswer } from './test-servers.js';

/** No program listens on a port of a pod. */
export class ConnectionRefusedError extends Error {
  override readonly name = 'ConnectionRefusedError';
}

/** What a server of a container reaches. */
export type ContextOf = (pod: Pod, container: Container) => ServerContext;

/** The ports of simulated containers: who listens there, and connections to them. */
export class ContainerPorts {
  readonly #contextOf: ContextOf;
  readonly #backends: PortBackends;

  constructor(contextOf: ContextOf, backends: PortBackends = () => undefined) {
    this.#contextOf = contextOf;
    this.#backends = backends;
  }

  /**
   * Connects to a port of a pod. Programs listen where the backends say so, and on the ports that running containers name.
   * @param over how a port of this machine is talked to; certificates are not looked at, as they could not be told apart
   * @throws ConnectionRefusedError
   */
  async connect(pod: Pod, port: number, over: 'tcp' | 'tls' = 'tcp'): Promise<Duplex> {
    const backend = this.backendOf(pod, port);
    if (!backend) throw new ConnectionRefusedError('connection refused');
    return typeof backend === 'function' ? answeredBy(backend, port) : connectLocal(backend.localPort, over);
  }

  /** What answers on a port of a pod; undefined when nothing does. */
  backendOf(pod: Pod, port: number): PortBackend | undefined {
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
    const isRunning = new Set(
      [...containerStatuses, ...initContainerStatuses].flatMap(({ name, state }) => (state.running ? [name] : [])),
    );
    const running = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].filter(({ name }) =>
      isRunning.has(name),
    );
    const naming = running.find(({ ports }) => ports?.some(({ containerPort }) => containerPort === port));
    const answerOf = (container: Container) => testServerAnswer(pod, container, port, this.#contextOf(pod, container));
    const serving = running.find(answerOf);
    const [first] = running;
    if (!first) return undefined;
    const asked = { pod, container: (naming ?? serving ?? first).name, port };
    return this.#backends(asked) ?? (serving && answerOf(serving)) ?? (naming && usualAnswer(asked));
  }
}

async function connectLocal(port: number, over: 'tcp' | 'tls'): Promise<Duplex> {
  const socket = connectTcp({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
  } catch (error) {
    const why = `no process listens on 127.0.0.1:${port}, to which this port is forwarded`;
    throw new ConnectionRefusedError(`connection refused (${why})`, { cause: error });
  }
  if (over === 'tcp') return socket;
  const secured = connectTls({ socket, rejectUnauthorized: false });
  await once(secured, 'secureConnect');
  return secured;
}
