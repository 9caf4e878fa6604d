import { afterEach, describe, expect, test } from 'vitest';
import type { Actuator, ActuatorAnswer, Operation } from '../actuators/actuator.js';
import { type Amounts, formatAmounts, parseAmounts, within } from '../planner/amounts.js';
import { readBalloonPod } from '../pods/balloon-pod.js';
import { quarter, WatchedCluster } from '../testing/watched-cluster.js';

/** A machine that answers what it is told to, and by default does what it is asked to. */
class Machine implements Actuator {
  readonly name = 'lab';
  readonly resources = ['cpu', 'memory'] as const;
  readonly calls: Operation[] = [];
  granted: Amounts = parseAmounts({ cpu: '16', memory: '64Gi' });
  readonly #answers: ActuatorAnswer[] = [];

  willAnswer(...answers: readonly ActuatorAnswer[]): void {
    this.#answers.push(...answers);
  }

  async ensure(operation: Operation): Promise<ActuatorAnswer> {
    this.calls.push(operation);
    const answer = this.#answers.shift() ?? { state: 'Done', granted: operation.to };
    if (answer.state === 'Done') this.granted = operation.to;
    return answer;
  }

  async observe(): Promise<ActuatorAnswer> {
    return { state: 'Done', granted: this.granted };
  }
}

let cluster: WatchedCluster;
let machine: Machine;
let order: string[];

async function start(): Promise<void> {
  machine = new Machine();
  cluster = new WatchedCluster({ policy: { actuatorRef: { name: 'lab' } }, actuators: new Map([['lab', machine]]) });
  order = [];
  cluster.onStep(note);
  await cluster.until(() => cluster.condition('Ready')?.status === 'True');
}

/** What has become true since, one word each. */
function note(): void {
  const pod = cluster.balloon('n1');
  const amounts = pod && readBalloonPod(pod);
  const seen = [
    (cluster.node('n1')?.spec?.taints ?? []).length > 0 ? 'fenced' : 'open',
    amounts && `allocated ${formatAmounts(amounts.allocated).cpu}`,
    `granted ${formatAmounts(machine.granted).cpu}`,
  ];
  for (const each of seen) if (each && order.findLast((other) => sort(other) === sort(each)) !== each) order.push(each);
}

const sort = (event: string) => (event === 'open' || event === 'fenced' ? 'fence' : event.split(' ')[0]);

afterEach(() => cluster.end());

describe('I4: no more is there for pods than the machine has', () => {
  async function always(): Promise<void> {
    await start();
    cluster.onStep(() => {
      const pod = cluster.balloon('n1');
      if (pod) expect(within(parseAmounts(cluster.size('n1')?.status?.size), machine.granted)).toBe(true);
    });
  }

  test('down: "fence, patch, allocated, unfence, shrink"', async () => {
    await always();
    const { status } = await cluster.resize('n1', quarter);
    expect(status).toMatchObject({
      size: quarter.size,
      actuator: { name: 'lab', phase: 'InSync', granted: quarter.size },
      lastResize: { result: 'Succeeded' },
    });
    const told = order.filter((event) => !event.startsWith('granted 16'));
    expect(told.indexOf('fenced')).toBeLessThan(told.indexOf('allocated 12'));
    expect(told.indexOf('allocated 12')).toBeLessThan(told.indexOf('granted 4'));
    expect(told.at(-1)).not.toBe('fenced');
  });

  test('up: the machine first', async () => {
    await always();
    await cluster.resize('n1', quarter);
    machine.willAnswer({ state: 'InProgress' }, { state: 'InProgress', retryAfterMs: 3_000 });
    await cluster.ask('n1', { mode: 'Full' });
    await cluster.until(() => cluster.size('n1')?.status?.actuator?.phase === 'Growing');
    expect(cluster.size('n1')?.status?.resize).toMatchObject({ phase: 'GrowingHardware' });
    await cluster.until(() => cluster.size('n1')?.status?.size?.cpu === '16');
    expect(new Set(machine.calls.slice(-3).map(({ operationID }) => operationID)).size).toBe(1);
  });
});

describe('"Unknown => assume min(from,to), stop"', () => {
  test('on growing: size stays, the fence is lifted, and it is said', async () => {
    await start();
    await cluster.resize('n1', quarter);
    machine.willAnswer({ state: 'Unknown', message: 'the host does not answer' });
    const { status } = await cluster.resize('n1', { mode: 'Size', size: { cpu: '8', memory: '16Gi' } });
    expect(status).toMatchObject({
      size: quarter.size,
      lastResize: { result: 'ActuatorFailed', reason: 'ActuatorUnknown', message: 'the host does not answer' },
    });
    expect(cluster.condition('Degraded')).toMatchObject({ status: 'True', reason: 'ActuatorUnknown' });
    expect(cluster.condition('ActuatorInSync')).toMatchObject({ status: 'False', reason: 'Unknown' });
    expect(cluster.node('n1')?.spec?.taints ?? []).toEqual([]);
    await cluster.until(() => cluster.size('n1')?.status?.size?.cpu === '8', 60_000);
  });
});

test('"actuator shrink fails after inflate: size stays small (safe), retry with backoff"', async () => {
  await start();
  machine.willAnswer({ state: 'Failed', message: 'in use' });
  const { status } = await cluster.resize('n1', quarter);
  expect(status).toMatchObject({ size: quarter.size, lastResize: { result: 'ActuatorFailed', message: 'in use' } });
  expect(cluster.condition('ActuatorInSync')).toMatchObject({ status: 'False', reason: 'Error' });
  await cluster.until(() => machine.granted.cpu === 4_000n, 120_000);
  await cluster.until(() => cluster.condition('ActuatorInSync')?.status === 'True');
});

test('"assume min(from,to) until observe() says otherwise": a machine that did it in silence is not asked again', async () => {
  await start();
  machine.willAnswer({ state: 'Unknown' });
  await cluster.resize('n1', quarter);
  expect(cluster.condition('ActuatorInSync')).toMatchObject({ status: 'False', reason: 'Unknown' });
  machine.granted = parseAmounts(quarter.size);
  await cluster.until(() => cluster.condition('ActuatorInSync')?.status === 'True', 60_000);
  expect(machine.calls).toHaveLength(1);
});

test('disabling grows the machine before anything else', async () => {
  await start();
  await cluster.resize('n1', quarter);
  await cluster.setPolicy({ enabled: false, actuatorRef: { name: 'lab' } });
  await cluster.until(() => cluster.daemonSets().length === 0);
  expect(machine.granted.cpu).toBe(16_000n);
});

test('an actuator that is not configured: nothing is done, and it is said', async () => {
  await start();
  await cluster.setPolicy({ actuatorRef: { name: 'other' } });
  await cluster.ask('n1', quarter);
  await cluster.until(() => cluster.condition('Degraded')?.reason === 'ActuatorUnknown');
  expect(cluster.condition('Ready')?.message).toBe('no actuator other is in the configuration of the controller');
});
