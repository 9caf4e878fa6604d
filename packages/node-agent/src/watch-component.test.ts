import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Kube, type KubeObject, silentLog } from '@slipway/kube';
import { inMemoryApi, ManualClock } from '@slipway/kube/testing';
import { expect, onTestFinished, test } from 'vitest';
import { AgentMetrics } from './agent-metrics.js';
import { watchComponent } from './watch-component.js';

/** A component on this machine that can be restarted with other gates, and what the agent has reported of it. */
function aStory() {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  const metrics = new AgentMetrics();
  const stop = new AbortController();
  let server: Server | undefined;
  let port = 0;
  let pages = 0;
  const listen = async (answer: RequestListener) => {
    server = createServer((request, response) => {
      if (request.url === '/metrics') pages++;
      if (request.url === '/healthz') response.end('ok');
      else answer(request, response);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const end = () => {
    server?.closeAllConnections();
    server?.close();
  };
  onTestFinished(end);
  const use = () => api.stored({ group: 'features.slipway.dev', plural: 'featureuses' })[0]?.spec;
  const vector = () =>
    api
      .stored({ group: 'features.slipway.dev', plural: 'featurevectors' })
      .find(({ metadata }) => metadata.name === use()?.vector)?.spec;
  return {
    use,
    vector,
    metrics,
    pages: () => pages,
    start: (startSeconds: number, gates: string) => listen((_, response) => response.end(pageOf(startSeconds, gates))),
    startWith: listen,
    end,
    watch() {
      const options = {
        transport: new Kube(api, { clock }).transport,
        namespace: 'kube-system',
        node: 'n1',
        owner: { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u1' },
        clock,
        log: silentLog,
        metrics,
        random: () => 0.5,
      };
      const access = { server: `http://127.0.0.1:${port}`, credentials: async () => ({}) };
      const watching = watchComponent({ component: 'kubelet', access }, options, stop.signal);
      onTestFinished(async () => {
        stop.abort(new Error('over'));
        await watching;
      });
    },
    /** Lets time pass until `isSo`. */
    async until(isSo: () => boolean, stepMs = 1_000): Promise<number> {
      const from = clock.monotonicMs();
      for (let steps = 0; !isSo(); steps++) {
        if (steps > 700) throw new Error(`not so: ${isSo}`);
        await clock.advance(stepMs);
        await answers();
      }
      return clock.monotonicMs() - from;
    },
    async pass(seconds: number): Promise<void> {
      for (let second = 0; second < seconds; second++) {
        await clock.advance(1_000);
        await answers();
      }
    },
  };
}

/** The network is real, and takes its time while the clock stands. */
function answers(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 4));
}

function pageOf(startSeconds: number, gates: string): string {
  const lines = gates.split(' ').map((gate) => {
    const [name, value] = gate.split('=');
    return `kubernetes_feature_enabled{name="${name}",stage="BETA"} ${value === 'true' ? 1 : 0}\n`;
  });
  return `\nkubernetes_build_info{git_version="v1.34.1"} 1\n${lines.join('')}process_start_time_seconds ${startSeconds}\n`;
}

const gatesOf = (vector: KubeObject['spec']) =>
  vector?.gates.map((gate: { name: string; enabled: boolean }) => `${gate.name}=${gate.enabled}`).join(' ');

test('watchComponent() reports what the page of a component shows', async () => {
  const story = aStory();
  await story.start(1_760_000_000, 'A=true B=false');
  story.watch();
  await story.until(() => story.use() !== undefined, 100);
  expect(story.use()).toMatchObject({
    component: 'kubelet',
    instance: 'n1',
    node: 'n1',
    source: 'Metrics',
    binaryVersion: 'v1.34.1',
    incarnation: '1760000000',
    startTime: '2025-10-09T08:53:20.000Z',
  });
  expect(gatesOf(story.vector())).toBe('A=true B=false');
  expect(story.metrics.page()).toContain('slipway_node_agent_component_up{component="kubelet"} 1');
});

test('watchComponent() sees a restart although it does not read the page again and again', async () => {
  const story = aStory();
  await story.start(1, 'A=true');
  story.watch();
  await story.until(() => story.use() !== undefined, 100);
  const read = story.pages();
  await story.pass(200);
  expect(story.pages()).toBe(read);
  story.end();
  await story.start(2, 'A=false');
  expect(await story.until(() => story.use()?.incarnation === '2', 500)).toBeLessThan(30_000);
  expect(gatesOf(story.vector())).toBe('A=false');
});

test('watchComponent() leaves the report of a component that has gone as it was, until it is back', async () => {
  const story = aStory();
  await story.start(1, 'A=true');
  story.watch();
  await story.until(() => story.use() !== undefined, 100);
  const { renewTime } = story.use();
  story.end();
  await story.pass(700);
  expect(story.use()?.renewTime).toBe(renewTime);
  await story.start(2, 'A=true');
  expect(await story.until(() => story.use()?.renewTime !== renewTime)).toBeLessThan(30_000);
});

test('watchComponent() reports nothing of what is not there', async () => {
  const story = aStory();
  await story.start(1, 'A=true');
  story.end();
  story.watch();
  await story.pass(100);
  expect(story.use()).toBeUndefined();
  await story.start(1, 'A=true');
  await story.until(() => story.use() !== undefined);
});

// what is behind the port | how it answers
const strangers: [string, RequestListener][] = [
  ['garbage', (_, response) => response.end(Buffer.alloc(1_000_000, 0xee))],
  ['a forbidden page', (_, response) => response.writeHead(403).end('Forbidden')],
  ['a page that never comes', () => {}],
  ['a page that is cut off', (_, response) => void (response.write('kubernetes_feat') && response.destroy())],
  ['a server that hangs up', (request) => request.socket.destroy()],
];

test.each(strangers)('watchComponent() goes on when it meets %s, and reports nothing of it', async (_, answer) => {
  const story = aStory();
  await story.startWith(answer);
  story.watch();
  await story.pass(120);
  expect(story.use()).toBeUndefined();
  expect(story.pages()).toBeLessThan(10);
  story.end();
  await story.start(7, 'A=true');
  await story.until(() => story.use() !== undefined);
});
