import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFeatureGate } from '../feature-gate.js';
import { FakeApi } from '../testing/fake-api.js';
import { StepClock } from '../testing/step-clock.js';
import type { FeatureUseSpec } from './feature-use.js';
import { type FeatureVectorSpec, vectorName } from './feature-vector.js';
import { queriedGates } from './queried-bitmap.js';
import { type GateSource, type ReportingOptions, reportUses } from './reporter.js';
import type { GateResponse } from './transport.js';

const group = '/apis/features.slipway.dev/v1alpha1/namespaces/acme';
const usePath = `${group}/featureuses/operator.pod-1`;
const epochPath = '/api/v1/namespaces/acme/configmaps/slipway-use-epoch';

function aStory(overrides: Partial<ReportingOptions> = {}) {
  const gate = createFeatureGate({ component: 'operator', version: '1.4', onWarning: () => {} });
  gate.add({ Fast: { stage: 'Beta', default: true }, Slow: { stage: 'Alpha', default: false } });
  const api = new FakeApi();
  const clock = new StepClock();
  const lines: string[] = [];
  const options: ReportingOptions = {
    transport: api,
    namespace: 'acme',
    instance: 'pod-1',
    clock,
    random: () => 0.5,
    log: (line) => lines.push(line),
    ...overrides,
  };
  const use = () => (api.objects.get(usePath) as { spec: FeatureUseSpec } | undefined)?.spec;
  const vector = () =>
    (api.objects.get(`${group}/featurevectors/${use()?.vector}`) as { spec: FeatureVectorSpec }).spec;
  const writes = () => api.requests.filter(({ method }) => method !== 'GET');
  return { gate, api, clock, lines, options, use, vector, writes };
}

test('reportUses() creates the vector and the report within five seconds, and its name says what is in it', async () => {
  const { gate, clock, options, use, vector } = aStory({ node: 'n1' });
  gate.set('Slow=true');
  reportUses(gate, options);
  expect(use()).toBeUndefined();
  await clock.advance(5_000);
  expect(use()).toMatchObject({
    component: 'operator',
    instance: 'pod-1',
    node: 'n1',
    binaryVersion: '1.4',
    emulationVersion: '1.4',
    source: 'Library',
    epoch: 0,
    startTime: '2026-01-01T00:00:00.000Z',
    renewTime: '2026-01-01T00:00:02.500Z',
    leaseDurationSeconds: 900,
  });
  expect(vectorName(vector())).toBe(use()?.vector);
  expect(vector()).toEqual({
    component: 'operator',
    binaryVersion: '1.4',
    gates: [
      { name: 'Fast', enabled: true, default: true, stage: 'Beta' },
      { name: 'Slow', enabled: true, default: false, stage: 'Alpha', set: true },
    ],
  });
});

test('reportUses() takes over the report of an earlier incarnation and removes what it does not say', async () => {
  const { gate, api, clock, options, use } = aStory();
  const old = { component: 'operator', instance: 'pod-1', node: 'gone', incarnation: 'old', epoch: 7, queried: 'AQ==' };
  api.put(usePath, { kind: 'FeatureUse', spec: old });
  reportUses(gate, options);
  await clock.advance(5_000);
  expect(use()?.incarnation).not.toBe('old');
  expect(use()?.epoch).toBe(0);
  expect(use()).not.toHaveProperty('node');
  expect(use()).not.toHaveProperty('queried');
});

test('reportUses() leaves the report to a process that was started later, and deletes nothing', async () => {
  const { gate, api, clock, lines, options, use, writes } = aStory();
  const first = reportUses(gate, options);
  await clock.advance(5_000);
  const later = createFeatureGate({ component: 'operator', version: '1.5', onWarning: () => {} });
  reportUses(later, options);
  await clock.advance(5_000);
  const taken = use();
  expect(taken?.binaryVersion).toBe('1.5');
  gate.enabled('Fast');
  gate.set('Slow=true');
  await clock.advance(60_000);
  expect(use()).toEqual(taken);
  const before = writes().length;
  await clock.advance(1_000_000);
  expect(writes().length - before).toBe(3);
  await first.stop();
  expect(use()?.incarnation).toBe(taken?.incarnation);
  expect(lines.join('\n')).toContain('is that of another process, which was started later');
  expect(api.objects.has(usePath)).toBe(true);
});

test('reportUses() goes on when something else of its report was changed', async () => {
  const { gate, api, clock, lines, options, use } = aStory();
  reportUses(gate, options);
  await clock.advance(5_000);
  api.put(usePath, { ...api.objects.get(usePath), metadata: { labels: { team: 'a' } } });
  await clock.advance(300_000);
  expect([use()?.renewTime, lines]).toEqual(['2026-01-01T00:05:02.500Z', []]);
});

test('reportUses() renews every five minutes with one request', async () => {
  const { gate, clock, options, use, writes } = aStory();
  reportUses(gate, options);
  await clock.advance(5_000);
  const before = writes().length;
  await clock.advance(3 * 300_000);
  expect(writes().length - before).toBe(3);
  expect(use()?.renewTime).toBe('2026-01-01T00:15:02.500Z');
});

test('reportUses() reports a changed value within two seconds, and many changes once', async () => {
  const { gate, clock, options, use, vector, writes } = aStory();
  reportUses(gate, options);
  await clock.advance(5_000);
  const [before, first] = [writes().length, use()?.vector];
  gate.set('Slow=true');
  gate.set('Fast=false');
  await clock.advance(2_000);
  expect(use()?.vector).not.toBe(first);
  expect(vector().gates.map((g) => g.enabled)).toEqual([false, true]);
  expect(writes().length - before).toBe(2);
});

test('reportUses() does not miss a change while the first report is under way', async () => {
  const { gate, api, clock, options, vector } = aStory();
  api.fault = ({ method }) => {
    if (method === 'PATCH') gate.set('Slow=true');
    return undefined;
  };
  reportUses(gate, options);
  await clock.advance(6_000);
  expect(vector().gates[1]).toMatchObject({ name: 'Slow', enabled: true });
});

test('reportUses() tells which gates were read: early reads after 30 s, later ones with the next renewal', async () => {
  const { gate, clock, options, use, vector } = aStory();
  reportUses(gate, options);
  await clock.advance(5_000);
  expect(use()?.queried).toBeUndefined();
  const read = () =>
    queriedGates(
      vector().gates.map((g) => g.name),
      use()?.queried,
    );
  gate.enabled('Slow');
  await clock.advance(24_000);
  expect(read()).toEqual([]);
  await clock.advance(1_001);
  expect(read()).toEqual(['Slow']);
  gate.enabled('Fast');
  await clock.advance(330_000);
  expect(read()).toEqual(['Fast', 'Slow']);
});

test('reportUses() says that a gate is mixed when it was read before its value changed', async () => {
  const { gate, clock, options, vector } = aStory();
  gate.enabled('Slow');
  gate.set('Slow=true');
  reportUses(gate, options);
  await clock.advance(5_000);
  expect(vector().gates[1]).toMatchObject({ name: 'Slow', enabled: true, set: true, mixed: true });
  expect(vector().gates[0]).not.toHaveProperty('mixed');
});

test('a new epoch is confirmed within the time the server gave, with values looked at afterwards', async () => {
  const { gate, api, clock, options, use } = aStory();
  api.put(epochPath, { data: { epoch: '3' } });
  reportUses(gate, options);
  await clock.advance(5_000);
  expect(use()?.epoch).toBe(3);
  api.put(epochPath, { data: { epoch: '4', spreadSeconds: '2' } });
  await clock.advance(999);
  expect(use()?.epoch).toBe(3);
  await clock.advance(2);
  expect(use()?.epoch).toBe(4);
  api.put(epochPath, { data: { epoch: '5' } });
  await clock.advance(4_900);
  expect(use()?.epoch).toBe(4);
  await clock.advance(200);
  expect(use()?.epoch).toBe(5);
});

test('an epoch that comes while the first report is under way is confirmed too', async () => {
  const { gate, api, clock, options, use } = aStory();
  api.fault = ({ method }) => {
    if (method === 'POST' && !api.objects.has(epochPath))
      api.put(epochPath, { data: { epoch: '1', spreadSeconds: '1' } });
    return undefined;
  };
  reportUses(gate, options);
  await clock.advance(4_000);
  expect(use()?.epoch).toBe(1);
});

test('an epoch survives that the ConfigMap is not there, nonsense, smaller or gone', async () => {
  const { gate, api, clock, options, use } = aStory();
  api.put(epochPath, { data: { epoch: '5' } });
  reportUses(gate, options);
  await clock.advance(5_000);
  for (const data of [{ epoch: 'x' }, { epoch: '-1' }, {}, { epoch: '4' }, { epoch: '1e400' }]) {
    api.remove(epochPath);
    api.put(epochPath, { data });
    await clock.advance(20_000);
    expect(use()?.epoch).toBe(5);
  }
});

test.each<[string, Parameters<FakeApi['endWatches']>[0]]>([
  ['ends', 'end'],
  ['breaks', new Error('ECONNRESET')],
  ['is too old', { type: 'ERROR', object: { code: 410, message: 'too old resource version' } }],
])('a new epoch is noticed after the watch %s', async (_how, end) => {
  const { gate, api, clock, options, use } = aStory();
  reportUses(gate, options);
  await clock.advance(30_000);
  api.endWatches(end);
  api.put(epochPath, { data: { epoch: '9', spreadSeconds: '1' } });
  await clock.advance(5_000);
  expect(use()?.epoch).toBe(9);
  expect(api.watches).toBe(1);
});

test('a watch that says nothing for too long is opened anew', async () => {
  const { gate, api, clock, options } = aStory();
  reportUses(gate, options);
  await clock.advance(600_000);
  expect(api.watches).toBe(1);
  expect(api.requests.filter(({ path }) => path.includes('watch=true')).length).toBeGreaterThan(1);
});

test('without a stream the epoch is noticed at the next look, without polling', async () => {
  const api = new FakeApi();
  const { gate, clock, options } = aStory({ transport: { request: (request) => api.request(request) } });
  reportUses(gate, options);
  await clock.advance(5_000);
  api.put(epochPath, { data: { epoch: '2', spreadSeconds: '1' } });
  const before = api.requests.length;
  await clock.advance(331_000);
  expect((api.objects.get(usePath) as { spec: FeatureUseSpec }).spec.epoch).toBe(2);
  expect(api.requests.length - before).toBeLessThan(6);
});

test('a deleted report is made again, with its vector', async () => {
  const { gate, api, clock, options, use, vector } = aStory();
  reportUses(gate, options);
  await clock.advance(5_000);
  api.objects.clear();
  await clock.advance(300_000);
  expect(vectorName(vector())).toBe(use()?.vector);
});

test('a deleted vector is made again within the hour', async () => {
  const { gate, api, clock, options, vector } = aStory();
  reportUses(gate, options);
  await clock.advance(5_000);
  for (const path of api.objects.keys()) if (path.includes('/featurevectors/')) api.objects.delete(path);
  await clock.advance(3_900_000);
  expect(vector().gates).toHaveLength(2);
});

test('while the API is away: more and more patient, one line when it begins and one when it ends', async () => {
  const { gate, api, clock, options, lines, use, writes } = aStory();
  api.fault = () => new Error('connect ECONNREFUSED');
  const reporting = reportUses(gate, options);
  await clock.advance(3_600_000);
  expect(lines).toEqual(['feature gate uses cannot be reported, will try again: connect ECONNREFUSED']);
  expect(reporting.failures).toBeGreaterThan(15);
  expect(reporting.failures).toBeLessThan(40);
  expect(reporting.failures).toBe(writes().length);
  api.fault = () => undefined;
  await clock.advance(300_000);
  expect(use()?.epoch).toBe(0);
  expect(lines[1]).toBe('feature gate uses are reported again');
});

test('when the API is back the report does not wait for a long backoff', async () => {
  const { gate, api, clock, options, use } = aStory();
  reportUses(gate, options);
  await clock.advance(5_000);
  api.fault = ({ method }) => (method === 'PATCH' ? { status: 503, body: {} } : undefined);
  await clock.advance(3_600_000);
  const before = use()?.renewTime;
  api.fault = () => undefined;
  api.endWatches(new Error('ECONNRESET'));
  await clock.advance(11_000);
  expect(use()?.renewTime).not.toBe(before);
});

test('Retry-After is honoured', async () => {
  const { gate, api, clock, options, use } = aStory();
  api.fault = ({ method }) =>
    method === 'GET' ? undefined : { status: 429, body: {}, headers: { 'retry-after': '60' } };
  reportUses(gate, options);
  await clock.advance(3_000);
  api.fault = () => undefined;
  await clock.advance(59_000);
  expect(use()).toBeUndefined();
  await clock.advance(2_000);
  expect(use()).toBeDefined();
});

test('a request that never ends is given up and tried again', async () => {
  const api = new FakeApi();
  let hangs = true;
  const transport = {
    request: (request: Parameters<FakeApi['request']>[0]) =>
      hangs ? new Promise<GateResponse>(() => {}) : api.request(request),
  };
  const { gate, clock, options } = aStory({ transport });
  const reporting = reportUses(gate, options);
  await clock.advance(20_000);
  expect(reporting.failures).toBe(1);
  hangs = false;
  await clock.advance(20_000);
  expect(api.objects.has(usePath)).toBe(true);
});

test('stop() deletes the report and leaves nothing running', async () => {
  const { gate, api, clock, options } = aStory();
  const reporting = reportUses(gate, options);
  await clock.advance(5_000);
  await reporting.stop();
  await reporting.stop();
  expect(api.objects.has(usePath)).toBe(false);
  await clock.advance(1);
  expect(api.watches).toBe(0);
  expect(clock.pending).toBe(0);
  gate.set('Slow=true');
  await clock.advance(600_000);
  expect(api.objects.has(usePath)).toBe(false);
});

test('stop() leaves the report of a successor alone', async () => {
  const { gate, api, clock, options } = aStory();
  const reporting = reportUses(gate, options);
  await clock.advance(5_000);
  reportUses(gate, { ...options, startWithinMs: 0 });
  await clock.advance(0);
  await reporting.stop();
  expect(api.objects.has(usePath)).toBe(true);
});

test('stop() lets a report under way finish, so that it does not come back', async () => {
  const { gate, api, clock } = aStory();
  const slow = {
    request: async (request: Parameters<FakeApi['request']>[0]) => {
      await new Promise<void>((resolve) => clock.after(500, resolve));
      return api.request(request);
    },
  };
  const { options } = aStory({ transport: slow, clock, startWithinMs: 0 });
  const reporting = reportUses(gate, options);
  await clock.advance(600);
  const stopped = reporting.stop();
  await clock.advance(2_000);
  await stopped;
  expect(api.objects.has(usePath)).toBe(false);
});

test('stop() takes no longer than two seconds when the API hangs', async () => {
  const { gate, clock, options } = aStory({ transport: { request: () => new Promise(() => {}) }, startWithinMs: 0 });
  const reporting = reportUses(gate, options);
  await clock.advance(100);
  const stopped = reporting.stop();
  await clock.advance(2_000);
  await stopped;
  expect(clock.pending).toBe(0);
});

test('reportUses() wraps any object that lists gates, and notices its changes by looking', async () => {
  const { clock, options, vector, use } = aStory();
  let enabled = false;
  const source: GateSource = {
    component: 'operator',
    binaryVersion: '9.9',
    list: () => [{ name: 'Theirs', stage: '', enabled, read: true }],
  };
  reportUses(source, options);
  await clock.advance(5_000);
  expect(vector().gates).toEqual([{ name: 'Theirs', stage: '', enabled: false }]);
  expect(queriedGates(['Theirs'], use()?.queried)).toEqual(['Theirs']);
  enabled = true;
  await clock.advance(10_001);
  expect(vector().gates).toEqual([{ name: 'Theirs', stage: '', enabled: true }]);
});

test('reportUses() speaks for a process that it looks at: nothing is reported that was not looked up first', async () => {
  const { gate, clock, options, use, writes } = aStory();
  let looks = 0;
  let isAway = false;
  let incarnation = 'first';
  const source: GateSource = {
    component: 'kubelet',
    binaryVersion: 'v1.34.0',
    list: () => gate.list(),
    get observed() {
      return { source: 'Metrics' as const, incarnation };
    },
    async refresh() {
      looks++;
      if (isAway) throw new Error('no answer');
    },
  };
  const reporting = reportUses(source, { ...options, instance: 'n1' });
  const path = usePath.replace('operator.pod-1', 'kubelet.n1');
  const stored = () => (options.transport as FakeApi).objects.get(path) as { spec: FeatureUseSpec } | undefined;
  await clock.advance(5_000);
  expect(use()).toBeUndefined();
  expect(stored()?.spec).toMatchObject({ source: 'Metrics', incarnation: 'first', component: 'kubelet' });
  expect(stored()?.spec.startTime).toBeUndefined();
  expect(looks).toBe(1);
  incarnation = 'second';
  await clock.advance(15_000);
  expect(stored()?.spec.incarnation).toBe('second');
  const before = writes().length;
  isAway = true;
  await clock.advance(600_000);
  expect(writes().length).toBe(before);
  await reporting.stop();
  expect(stored()).toBeDefined();
});

test('an epoch that is raised during a look is not confirmed by it', async () => {
  const { gate, api, clock, options, use } = aStory();
  let looked: () => void = () => {};
  const source: GateSource = {
    component: 'operator',
    binaryVersion: '1',
    list: () => gate.list(),
    refresh: () =>
      new Promise((resolve) => {
        looked = resolve;
      }),
  };
  reportUses(source, options);
  await clock.advance(5_000);
  api.put(epochPath, { metadata: { name: 'slipway-use-epoch' }, data: { epoch: '4' } });
  await clock.advance(1_000);
  looked();
  await clock.advance(0);
  expect(use()?.epoch).toBe(0);
  await clock.advance(10_000);
  looked();
  await clock.advance(0);
  expect(use()?.epoch).toBe(4);
});

test('a source that throws is a failed report, not a crash', async () => {
  const { clock, options, lines, use } = aStory();
  let broken = true;
  const list = () => {
    if (broken) throw new Error('not ready');
    return [];
  };
  reportUses({ component: 'operator', binaryVersion: '1', list }, options);
  await clock.advance(60_000);
  expect(lines).toEqual(['feature gate uses cannot be reported, will try again: not ready']);
  broken = false;
  await clock.advance(60_000);
  expect(use()).toBeDefined();
});

test('one report is at most 1.3 KB, with 200 gates read and every optional field', async () => {
  const name = 'ip-10-0-120-201.eu-central-1.compute.internal';
  const owner = { apiVersion: 'v1', kind: 'Node', name, uid: 'c7a1b6de-1111-4222-8333-444455556666' };
  const { gate, api, clock, options } = aStory({ instance: name, node: name, owner });
  const gates = Array.from({ length: 200 }, (_, index) => [
    `SomeGateWithALongName${index}`,
    { stage: 'Beta', default: true },
  ]);
  gate.add(Object.fromEntries(gates));
  for (const [gateName] of gates) gate.enabled(String(gateName));
  reportUses(gate, options);
  await clock.advance(1_000_000);
  const bodies = api.requests
    .filter(({ path, method }) => path.includes('/featureuses') && method !== 'GET')
    .map(({ body }) => Buffer.byteLength(JSON.stringify(body)));
  expect(bodies.length).toBeGreaterThan(3);
  expect(Math.max(...bodies)).toBeLessThanOrEqual(1_300);
  const stored = [...api.objects].filter(([path]) => path.includes('/featureuses/')).map(([, object]) => object);
  expect(Buffer.byteLength(JSON.stringify(stored[0]))).toBeLessThanOrEqual(1_300);
});

test('any failures: reporting never throws, is never late without end, and ends up saying what is true', async () => {
  const weather = fc.array(fc.constantFrom('ok', 'reset', '500', '404', '409', 'nonsense', 'throws', 'hangs'), {
    maxLength: 40,
  });
  const words = fc.array(fc.tuple(fc.constantFrom('set', 'read', 'epoch', 'end', 'break', 'forget'), fc.nat(120_000)), {
    maxLength: 12,
  });
  const story = async (storm: string[], happenings: [string, number][], luck: number[]) => {
    const { gate, api, clock, options, use, vector } = aStory();
    let turn = 0;
    let chance = 0;
    const transport = {
      request: (request: Parameters<FakeApi['request']>[0]): Promise<GateResponse> => {
        const now = storm[turn++] ?? 'ok';
        if (now === 'throws') throw new Error('thrown at once');
        if (now === 'hangs') return new Promise(() => {});
        if (now === 'reset') return Promise.reject(new Error('ECONNRESET'));
        if (now === 'nonsense') return Promise.resolve({ status: 200, body: '<html>' });
        if (now !== 'ok') return Promise.resolve({ status: Number(now), body: null });
        return api.request(request);
      },
      stream: api.stream.bind(api),
    };
    const random = () => (luck[chance++ % luck.length] ?? 0) / 1_000;
    const reporting = reportUses(gate, { ...options, transport, random });
    let epoch = 0;
    let on = false;
    for (const [what, laterMs] of happenings) {
      if (what === 'set') on = !on;
      gate.set(`Slow=${on}`);
      if (what === 'read') gate.enabled('Fast');
      if (what === 'epoch') api.put(epochPath, { data: { epoch: String(++epoch) } });
      if (what === 'end') api.endWatches('end');
      if (what === 'break') api.endWatches(new Error('ECONNRESET'));
      if (what === 'forget') api.objects.delete(usePath);
      await clock.advance(laterMs);
    }
    await clock.advance(6 * 3_600_000);
    expect(use()?.epoch).toBe(epoch);
    expect(vector().gates[1]?.enabled).toBe(on);
    expect(vectorName(vector())).toBe(use()?.vector);
    expect(clock.now() - Date.parse(use()?.renewTime ?? '')).toBeLessThanOrEqual(330_000);
    await reporting.stop();
    await clock.advance(30_000);
    expect(clock.pending).toBe(0);
  };
  const luck = fc.array(fc.nat(999), { minLength: 1, maxLength: 7 });
  await fc.assert(fc.asyncProperty(weather, words, luck, story), { numRuns: 60 });
}, 60_000);
