import { errorMessage } from '@slipway/kube';
import type { Amounts } from '../planner/amounts.js';
import { type Actuator, type ActuatorAnswer, unknown } from './actuator.js';
import { QmpConnection, QmpError } from './qmp-connection.js';

export interface QmpActuatorOptions {
  readonly name: string;
  /** Path of the monitor's unix socket; `{node}` stands for the name of the node. */
  readonly socket: string;
}

const askAgainMs = 500;

/**
 * Resizes the memory of a QEMU guest through its virtio-balloon device.
 *
 * QEMU passes the target on to the guest, which gives memory back as fast as it can: the answer is `InProgress` with
 * what the guest has until it has reached the target. The guest should run with `deflate-on-oom=on`; otherwise its
 * kernel reports less total memory.
 */
export function qmpActuator({ name, socket }: QmpActuatorOptions): Actuator {
  const at = (node: string) => socket.replaceAll('{node}', node);
  return {
    name,
    resources: ['memory'],
    ensure: ({ node, to }, signal) =>
      withMonitor(at(node), signal, async (monitor) => {
        await monitor.execute('balloon', { value: Number(to.memory) });
        return progress(await guestMemory(monitor), to);
      }),
    observe: ({ node }, signal) =>
      withMonitor(at(node), signal, async (monitor) => ({
        state: 'Done',
        granted: { memory: await guestMemory(monitor) },
      })),
  };
}

/** QEMU counts in pages of 4 KiB: differences below one page are ignored. */
const pageBytes = 4096n;

function progress(memory: bigint, to: Amounts): ActuatorAnswer {
  const difference = memory > to.memory ? memory - to.memory : to.memory - memory;
  if (difference < pageBytes) return { state: 'Done', granted: { memory } };
  return { state: 'InProgress', granted: { memory }, retryAfterMs: askAgainMs };
}

async function guestMemory(monitor: QmpConnection): Promise<bigint> {
  const answer = await monitor.execute('query-balloon');
  const actual = typeof answer === 'object' && answer !== null && 'actual' in answer ? answer.actual : undefined;
  if (typeof actual !== 'number') throw new Error('query-balloon did not say how much memory the guest has');
  return BigInt(actual);
}

async function withMonitor(
  path: string,
  signal: AbortSignal,
  ask: (monitor: QmpConnection) => Promise<ActuatorAnswer>,
): Promise<ActuatorAnswer> {
  let monitor: QmpConnection | undefined;
  try {
    monitor = await QmpConnection.open(path, signal);
    return await ask(monitor);
  } catch (error) {
    if (error instanceof QmpError)
      return { state: 'Failed', message: `QEMU refused (${error.reason}): ${error.message}` };
    const message = errorMessage(error);
    return unknown(signal.aborted ? `${path}: out of time` : `${path}: ${message}`);
  } finally {
    monitor?.close();
  }
}
