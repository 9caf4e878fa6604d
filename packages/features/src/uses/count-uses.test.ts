import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Waiver } from '../api/feature.js';
import type { GateValue } from '../api/feature-vector.js';
import type { Target } from '../api/target.js';
import { type CountInput, countUses } from './count-uses.js';
import type { ProcessReport, Round, Statement } from './process-report.js';
import { type RollCallInput, rollCall } from './roll-call.js';
import { type ExpectedProcess, leaseRoster, nodeRoster, podRoster, type Roster, selfRoster } from './roster.js';

const round: Round = { epoch: 5, openedMs: 1_000, settleMs: 30_000 };
const nowMs = 100_000;
const vectors: Readonly<Record<string, Omit<GateValue, 'name'>>> = {
  on: { enabled: true },
  off: { enabled: false },
  flag: { enabled: true, set: true },
  follows: { enabled: true, follows: true },
  pending: { enabled: true, follows: true, pendingRestart: true },
  refused: { enabled: true, follows: true, refused: true },
  mixed: { enabled: true, mixed: true },
};

function gatesOf(vector: string) {
  if (vector === 'none') return new Map<string, GateValue>();
  const value = vectors[vector];
  return value && new Map([['Widgets', { name: 'Widgets', ...value }]]);
}

function aReport(instance: string, overrides: Partial<ProcessReport & Statement> = {}): ProcessReport {
  const { vector = 'off', binaryVersion = '1.34.0', emulationVersion, reportsItself = true, ...rest } = overrides;
  return {
    name: `agent.${instance}`,
    component: 'agent',
    instance,
    says: { vector, binaryVersion, emulationVersion, reportsItself },
    epoch: 5,
    firstSeenMs: nowMs - 10_000,
    leaseMs: 900_000,
    ...rest,
  };
}

type Asked = Partial<Pick<RollCallInput, 'roster' | 'minVersion'> & Omit<CountInput, 'gate' | 'rollCalls'>>;

function count({ roster = selfRoster, minVersion, waivers = [], ...asked }: Asked, ...reports: ProcessReport[]) {
  const roll = rollCall({ component: 'agent', required: true, minVersion, roster, reports, gatesOf, round, nowMs });
  return countUses({ gate: 'Widgets', rollCalls: [roll], towards: 'Off', waivers, ...asked });
}

const followMode = { isPublished: false };
const live = () => true;
const away = () => false;
const expired = { firstSeenMs: nowMs - 900_000 };
const leader = (isLive: () => boolean, nodeOf?: (host: string) => string | undefined) =>
  leaseRoster([{ name: 'kube-controller-manager', holder: 'host-1_5b1c' }], isLive, nodeOf);
const apiServers = (isLive: () => boolean) =>
  leaseRoster([{ name: 'apiserver-x', holder: 'apiserver-x_1', hostname: 'host-1' }], isLive);
const declaring = nodeRoster(['n1'], live, () => ['Widgets']);
const twoPods = podRoster(
  [
    { name: 'a', node: 'n1' },
    { name: 'b', node: 'n1' },
  ],
  away,
);
const onePod = podRoster([{ name: 'scheduler-n1', node: 'n1' }], away);

// what is reported | on off unregistered silent | cause of the first sample
const cases: [string, ReturnType<typeof count>, string, string?][] = [
  ['a report of this round', count({}, aReport('a')), '0 1 0 0'],
  ['a report of a newer round', count({}, aReport('a', { epoch: 6 })), '0 1 0 0'],
  ['an older round', count({}, aReport('a', { epoch: 4 })), '0 0 0 1', 'NotYetConfirmed'],
  ['an older round, renewed after settling', count({}, aReport('a', { epoch: 4, renewedMs: 31_001 })), '0 1 0 0'],
  [
    'an older round, renewed too early',
    count({}, aReport('a', { epoch: 4, renewedMs: 31_000 })),
    '0 0 0 1',
    'NotYetConfirmed',
  ],
  ['a process that hangs, so that its report expired', count({}, aReport('a', expired)), '0 0 0 1', 'ReportExpired'],
  ['no vector', count({}, aReport('a', { vector: 'not there' })), '0 0 0 1', 'NoReport'],
  ['two values in one process', count({}, aReport('a', { vector: 'mixed' })), '0 0 1 0'],
  ['a value of its own', count({}, aReport('a', { vector: 'on' })), '1 0 0 0', 'NotFollowing'],
  [
    'a value that nothing takes the place of',
    count(followMode, aReport('a', { vector: 'on' })),
    '1 0 0 0',
    'NotPublished',
  ],
  ['a flag that counts', count(followMode, aReport('a', { vector: 'flag' })), '1 0 0 0', 'ExplicitFlag'],
  [
    'a value of its own of a process that another program reads',
    count({}, aReport('a', { vector: 'on', reportsItself: false })),
    '1 0 0 0',
    'NotPublished',
  ],
  ['a published value on its way', count({}, aReport('a', { vector: 'follows' })), '1 0 0 0'],
  ['a published value for the next start', count({}, aReport('a', { vector: 'pending' })), '1 0 0 0', 'PendingRestart'],
  ['a published value that was refused', count({}, aReport('a', { vector: 'refused' })), '1 0 0 0', 'ChangeRefused'],
  ['a flag', count({}, aReport('a', { vector: 'flag' })), '1 0 0 0', 'ExplicitFlag'],
  ['a gate it does not know', count({}, aReport('a', { vector: 'none' })), '0 0 1 0', 'TooOld'],
  ['the same, and too old for it', count({ minVersion: '1.35' }, aReport('a', { vector: 'none' })), '0 0 0 0'],
  ['two values, and too old', count({ minVersion: '1.35' }, aReport('a', { vector: 'mixed' })), '0 0 1 0'],

  ['a live node without a report', count({ roster: nodeRoster(['n1'], live) }), '0 0 0 1', 'AgentMissing'],
  ['a live node that declares it', count({ roster: declaring }), '1 0 0 0', 'NotPublished'],
  ['the same when it should be on', count({ roster: declaring, towards: 'On' }), '1 0 0 0'],
  [
    'a node that declares other gates',
    count({ roster: nodeRoster(['n1'], live, () => ['Other']) }),
    '0 0 0 1',
    'AgentMissing',
  ],
  [
    'a node that declares it and is away',
    count({ roster: nodeRoster(['n1'], away, () => ['Widgets']) }),
    '0 0 0 1',
    'NodeDown',
  ],
  ['a report of a node that declares it', count({ roster: declaring }, aReport('n1')), '0 1 0 0'],
  [
    'an expired report of a node that declares it',
    count({ roster: declaring }, aReport('n1', expired)),
    '1 0 0 0',
    'NotPublished',
  ],
  ['a node that is away', count({ roster: nodeRoster(['n1'], away) }, aReport('n1')), '0 0 0 1', 'NodeDown'],
  ['a report of a node that is deleted', count({ roster: nodeRoster([], live) }, aReport('n1')), '0 0 0 0'],
  [
    'two pods of a component on one node, one of them with the old value',
    count(
      { roster: nodeRoster(['n1'], live) },
      aReport('old', { node: 'n1', vector: 'on' }),
      aReport('new', { node: 'n1' }),
    ),
    '1 1 0 0',
    'NotFollowing',
  ],
  [
    'a process that crashed on a node, and its successor',
    count(
      { roster: nodeRoster(['n1'], live) },
      aReport('old', { node: 'n1', ...expired }),
      aReport('new', { node: 'n1' }),
    ),
    '0 1 0 0',
  ],

  ['an API server', count({ roster: apiServers(live) }, aReport('host-1')), '0 1 0 0'],
  ['a live API server without a report', count({ roster: apiServers(live) }), '0 0 0 1', 'NoReport'],
  ['the identity of a dead API server', count({ roster: apiServers(away) }, aReport('host-1')), '0 0 0 0'],
  ['a report beside the identities', count({ roster: apiServers(live) }, aReport('host-1'), aReport('b')), '0 2 0 0'],

  ['a leader', count({ roster: leader(live) }, aReport('host-1')), '0 1 0 0'],
  [
    'a leader on a host whose node has another name, read by the agent of the node',
    count({ roster: leader(live, (host) => `node-of-${host}`) }, aReport('node-of-host-1')),
    '0 1 0 0',
  ],
  ['a leader that does not report', count({ roster: leader(live) }, aReport('standby')), '0 1 0 1', 'NoReport'],
  ['a leader on a node', count({ roster: leader(live, (host) => host) }), '0 0 0 1', 'NoReport'],
  ['a leader on no node of the cluster', count({ roster: leader(live, () => undefined) }), '0 0 0 1', 'OutOfReach'],
  [
    'what a host left under its former name',
    count({ roster: leader(live) }, aReport('host-1'), aReport('old-name', { vector: 'on', ...expired })),
    '0 1 0 0',
  ],

  ['two pods, one of them not heard of', count({ roster: twoPods }, aReport('a')), '0 1 0 1', 'NoReport'],
  ['two pods, read by an agent of their node', count({ roster: twoPods }, aReport('n1')), '0 0 0 2', 'NoReport'],
  ['a pod alone on its node, read by the agent there', count({ roster: onePod }, aReport('n1')), '0 1 0 0'],
  ['a pod that is not selected', count({ roster: onePod }, aReport('x', { node: 'n1' })), '0 0 0 1', 'NoReport'],
  [
    'a pod on a node that is away',
    count({ roster: podRoster([{ name: 'a', node: 'n1' }], live) }, aReport('a')),
    '0 0 0 1',
    'NodeDown',
  ],
];
test.each(cases)('countUses() with %s', (_what, counted, expected, cause) => {
  const { on, off, unregistered, silent, components } = counted;
  expect([on, off, unregistered, silent].join(' ')).toBe(expected);
  expect(components[0]?.samples[0]?.cause).toBe(cause);
});

const stages = [
  { version: '1.30', stage: 'Alpha', default: false },
  { version: '1.34', stage: 'GA', default: true, locked: true },
] as const;
const dropped = [
  { version: '1.30', stage: 'Alpha', default: false },
  { version: '1.34', stage: 'Deprecated', default: false },
] as const;
// history | binary | emulated | value, by features.md 2.3
test.each([
  [stages, '1.29.1', undefined, 'off'], // binary older than the first stage
  [stages, '1.36.0', undefined, 'on'], // newer than the removal of a gate that was locked on
  [stages, '1.31.0', undefined, 'unregistered'],
  [stages, '1.33.0', '1.29', 'off'],
  [stages, '1.36.0', '1.33', 'on'],
  [dropped, '1.36.0', undefined, 'off'], // newer than the removal of a dropped feature
  [dropped, '1.33.0', undefined, 'unregistered'],
  [undefined, '1.36.0', undefined, 'unregistered'], // no history
] as const)(
  'countUses() takes the value of a gate that a process does not know from %j at %s, %s',
  (history, binaryVersion, emulationVersion, value) => {
    const report = aReport('a', { binaryVersion, emulationVersion, vector: 'none' });
    expect(count({ stages: history, towards: 'On' }, report)[value]).toBe(1);
  },
);

test('countUses() says of a process that is newer than one which knows the gate that it was removed', () => {
  const causes = (...reports: ProcessReport[]) =>
    count({ towards: 'On' }, ...reports).components[0]?.samples.map(({ process, cause }) => `${process} ${cause}`);
  const old = aReport('old', { binaryVersion: '1.33.0', vector: 'on' });
  expect(causes(old, aReport('new', { binaryVersion: '1.35.0', vector: 'none' }))).toEqual(['agent.new GateRemoved']);
  expect(causes(old, aReport('older', { binaryVersion: '1.32.0', vector: 'none' }))).toEqual(['agent.older TooOld']);
});

test('countUses() takes a process without a gate whose stage is Removed to behave as the history says', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.integer({ min: 30, max: 45 }), (value, minor) => {
      const history = [
        { version: '1.30', stage: 'Alpha', default: false },
        { version: '1.40', stage: 'Removed', default: value },
      ] as const;
      const report = aReport('a', { binaryVersion: `1.${minor}.0`, vector: 'none' });
      const expected = minor < 40 ? 'unregistered' : value ? 'on' : 'off';
      expect(count({ stages: history, towards: 'On' }, report)[expected]).toBe(1);
    }),
  );
});

test('countUses() says that nothing is published to a process that would follow', () => {
  const report = aReport('a', { vector: 'follows' });
  const causeWhen = (isPublished: boolean, authority?: string) =>
    count({ isPublished, authority }, report).components[0]?.samples[0]?.cause;
  expect([causeWhen(true), causeWhen(false)]).toEqual([undefined, 'NotPublished']);
  // The authority of a centrally set feature keeps to its own flags.
  expect([causeWhen(true, 'server'), causeWhen(true, 'agent')]).toEqual([undefined, 'NotPublished']);
});

test('countUses() counts the processes that run the value only until they restart', () => {
  const reports = [aReport('a', { vector: 'pending' }), aReport('b', { vector: 'on' }), aReport('c')];
  const [component] = count({ towards: 'On' }, ...reports).components;
  expect(component).toMatchObject({ on: 2, off: 1, pendingRestart: 1 });
  expect(count({ towards: 'Off' }, ...reports).components[0]).not.toHaveProperty('pendingRestart');
});

function waiver(what: Partial<Waiver>): Waiver {
  return { id: 'w', reason: 'its disk is being replaced', by: 'anna', expires: '2026-02-01T00:00:00Z', ...what };
}

test('countUses() counts what a waiver lets be in a class of its own, and only while it does not run the value', () => {
  const roster = nodeRoster(['n1', 'n2', 'n3'], (node) => node !== 'n3');
  const reports = [aReport('n1'), aReport('n2', { vector: 'flag' })];
  const counted = (...waivers: Waiver[]) => {
    const { on, off, silent, waived, reporting } = count({ roster, waivers }, ...reports);
    return [on, off, silent, waived, reporting].join(' ');
  };
  expect(counted()).toBe('1 1 1 0 2');
  expect(counted(waiver({ node: 'n3' }))).toBe('1 1 0 1 2');
  expect(counted(waiver({ process: 'agent.n2' }))).toBe('0 1 1 1 2');
  expect(counted(waiver({ node: 'n3' }), waiver({ process: 'agent.n2' }))).toBe('0 1 0 2 2');
  expect(counted(waiver({ process: 'agent.n1' }))).toBe('1 1 1 0 2');
  expect(counted(waiver({ task: 'ClearField' }))).toBe('1 1 1 0 2');
  const { samples } = count({ roster, waivers: [waiver({ node: 'n3' })] }, ...reports).components[0] ?? { samples: [] };
  expect(samples.map(({ process, waiver: by }) => [process, by])).toEqual([
    ['agent.n2', undefined],
    ['n3', 'w'],
  ]);
});

test('countUses() names five processes of a component and tells four versions apart', () => {
  const reports = Array.from({ length: 9 }, (_, index) =>
    aReport(`n${index}`, { vector: index % 2 ? 'on' : 'off', binaryVersion: `1.3${index % 6}.0` }),
  );
  const { components } = count({}, ...reports);
  expect(components[0]?.samples.map(({ process }) => process)).toHaveLength(4);
  expect(components[0]?.versions).toEqual([
    { v: '1.32.0', on: 0, off: 2 },
    { v: '1.33.0', on: 1, off: 0 },
    { v: '1.34.0', on: 0, off: 1 },
    { v: '1.35.0', on: 1, off: 0 },
  ]);
  expect(count({ towards: 'On' }, ...reports).components[0]?.samples).toHaveLength(5);
});

const anyRoster: fc.Arbitrary<{
  readonly roster: Roster;
  readonly expected: readonly string[];
  readonly lives: (name: string) => boolean;
}> = fc
  .record({ kind: fc.constantFrom('nodes', 'pods', 'leases', 'self'), nodes: fc.array(fc.boolean(), { maxLength: 8 }) })
  .map(({ kind, nodes }) => {
    const names = nodes.map((_live, index) => `n${index}`);
    const lives = (name: string) => nodes[Number(name.slice(1))] ?? true;
    const pods = names.map((name) => ({ name, node: `host-of-${name}` }));
    const leases = names.map((name) => ({ name, hostname: name }));
    const roster = {
      nodes: nodeRoster(names, lives, (name) => (name === 'n1' ? ['Widgets'] : [])),
      pods: podRoster(pods, (host) => !lives(host.slice('host-of-'.length))),
      leases: leaseRoster(leases, lives),
      self: selfRoster,
    }[kind];
    return { roster, expected: kind === 'self' ? [] : names, lives };
  });

test('countUses() I11: every process is in one class, and no silent or waived one is counted as matching', () => {
  const report = fc.record({
    vector: fc.constantFrom('on', 'off', 'flag', 'mixed', 'none', 'not there'),
    epoch: fc.integer({ min: 3, max: 6 }),
    firstSeenMs: fc.constantFrom(nowMs - 900_000, nowMs - 10_000),
    renewedMs: fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined }),
  });
  const waivers = fc
    .array(fc.record({ at: fc.integer({ min: 0, max: 9 }), byNode: fc.boolean() }), { maxLength: 4 })
    .map((all) => all.map(({ at, byNode }) => waiver(byNode ? { node: `n${at}` } : { process: `agent.n${at}` })));
  fc.assert(
    fc.property(
      anyRoster,
      fc.array(report, { maxLength: 10 }),
      waivers,
      fc.constantFrom<Target>('On', 'Off'),
      (known, given, waived, towards) => {
        const { roster, expected, lives } = known;
        const reports = given.map((one, index) => aReport(`n${index}`, { ...one, node: `n${index}` }));
        const counted = count({ roster, waivers: waived, towards }, ...reports);
        const { on, off, unregistered, silent } = counted;
        expect(on + off + unregistered + silent + counted.waived).toBe(counted.expected);
        for (const number of [on, off, unregistered, silent, counted.waived]) expect(number).toBeGreaterThanOrEqual(0);

        // Every live process that the roster names is in some class.
        const mustBeSeen = expected.filter((name) => lives(name) || roster.whenNotLive === 'silent');
        expect(counted.expected).toBeGreaterThanOrEqual(mustBeSeen.length);

        const isExpired = (one: ProcessReport) => nowMs - (one.renewedMs ?? one.firstSeenMs) >= one.leaseMs;
        const isOfRound = (one: ProcessReport) =>
          one.epoch >= round.epoch || (one.renewedMs ?? 0) > round.openedMs + round.settleMs;
        const witnessed = reports.filter((one) => {
          const process = roster.processOf(one);
          const counts = process ? process.live : roster.others !== 'none';
          return counts && !isExpired(one) && isOfRound(one);
        });
        const told = (vector: string) => (vector === 'flag' ? 'on' : vector);
        const said = witnessed.filter(({ says }) => told(says.vector) === towards.toLowerCase()).length;
        const isHeard = (process: ExpectedProcess) =>
          reports.some((one) => roster.processOf(one) === process && !isExpired(one));
        const declared = roster.expected.filter((process) => process.live && process.declares && !isHeard(process));
        const matching =
          said + declared.filter(({ declares }) => towards === 'On' && declares?.includes('Widgets')).length;
        expect(towards === 'On' ? on : off).toBe(matching);
        // Whoever is waived did not match, and is named by a waiver.
        if (waived.length === 0) expect(counted.waived).toBe(0);
        expect(counted.waived).toBeLessThanOrEqual(counted.expected - matching);
      },
    ),
    { numRuns: 500 },
  );
});
