import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CountedComponent, countUses } from './count-uses.js';
import type { ProcessReport, Round } from './process-report.js';
import { leaseRoster, nodeRoster, selfRoster } from './roster.js';

const round: Round = { epoch: 5, openedMs: 1_000, settleMs: 30_000 };

function aReport(instance: string, overrides: Partial<ProcessReport> & { readonly on?: boolean } = {}): ProcessReport {
  const { on = false, ...rest } = overrides;
  return {
    name: `agent.${instance}`,
    component: 'agent',
    instance,
    binaryVersion: '1.34.0',
    gates: new Map([['Widgets', { name: 'Widgets', enabled: on }]]),
    hasRead: () => false,
    epoch: 5,
    current: true,
    ...rest,
  };
}

const agent = (overrides: Partial<CountedComponent> = {}): CountedComponent => ({
  name: 'agent',
  required: true,
  roster: selfRoster,
  ...overrides,
});

function count(component: CountedComponent, ...reports: ProcessReport[]) {
  return countUses({ gate: 'Widgets', components: [component], reports, round, towards: 'Off' });
}

// what is reported | on off unregistered silent | cause of the first sample
const cases: [string, ReturnType<typeof count>, string, string?][] = [
  ['a report of this round', count(agent(), aReport('a')), '0 1 0 0'],
  ['a report of a newer round', count(agent(), aReport('a', { epoch: 6 })), '0 1 0 0'],
  ['an older round', count(agent(), aReport('a', { epoch: 4 })), '0 0 0 1', 'NotYetConfirmed'],
  ['an older round, renewed after settling', count(agent(), aReport('a', { epoch: 4, renewedMs: 31_001 })), '0 1 0 0'],
  [
    'an older round, renewed too early',
    count(agent(), aReport('a', { epoch: 4, renewedMs: 31_000 })),
    '0 0 0 1',
    'NotYetConfirmed',
  ],
  ['an expired report', count(agent(), aReport('a', { current: false })), '0 0 0 1', 'ReportExpired'],
  ['no vector', count(agent(), aReport('a', { gates: undefined })), '0 0 0 1', 'NoReport'],
  [
    'two values in one process',
    count(agent(), aReport('a', { gates: gates({ mixed: true, enabled: true }) })),
    '0 0 1 0',
  ],
  ['a flag', count(agent(), aReport('a', { gates: gates({ set: true, enabled: true }) })), '1 0 0 0', 'ExplicitFlag'],
  ['a gate it does not know', count(agent(), aReport('a', { gates: new Map() })), '0 0 1 0', 'TooOld'],
  ['the same, and too old for it', count(agent({ minVersion: '1.35' }), aReport('a', { gates: new Map() })), '0 0 0 0'],
  ['another component', count(agent(), aReport('a', { component: 'server' })), '0 0 0 0'],
  ['a live node without a report', count(agent({ roster: nodeRoster(['n1'], () => true) })), '0 0 0 1', 'NoReport'],
  [
    'a node that is away',
    count(agent({ roster: nodeRoster(['n1'], () => false) }), aReport('n1')),
    '0 0 0 1',
    'NodeDown',
  ],
  [
    'a report of a node that is deleted',
    count(agent({ roster: nodeRoster([], () => true) }), aReport('n1')),
    '0 0 0 0',
  ],
  ['an API server', count(agent({ roster: leases(true) }), aReport('host-1')), '0 1 0 0'],
  ['a live API server without a report', count(agent({ roster: leases(true) })), '0 0 0 1', 'NoReport'],
  ['the identity of a dead API server', count(agent({ roster: leases(false) }), aReport('host-1')), '0 0 0 0'],
  [
    'a report beside the identities',
    count(agent({ roster: leases(true) }), aReport('host-1'), aReport('b')),
    '0 2 0 0',
  ],
];
test.each(cases)('countUses() with %s', (_what, counted, expected, cause) => {
  const { on, off, unregistered, silent, components } = counted;
  expect([on, off, unregistered, silent].join(' ')).toBe(expected);
  expect(components[0]?.samples[0]?.cause).toBe(cause);
});

function gates(value: { readonly mixed?: boolean; readonly set?: boolean; readonly enabled: boolean }) {
  return new Map([['Widgets', { name: 'Widgets', ...value }]]);
}

function leases(live: boolean) {
  return leaseRoster([{ name: 'apiserver-x', holder: 'apiserver-x_1', hostname: 'host-1' }], () => live);
}

test('countUses() takes the value of a gate that a process does not know from the history', () => {
  const stages = [
    { version: '1.30', stage: 'Alpha', default: false },
    { version: '1.34', stage: 'GA', default: true, locked: true },
  ] as const;
  const at = (binaryVersion: string) =>
    countUses({
      gate: 'Widgets',
      stages,
      components: [agent()],
      reports: [aReport('a', { binaryVersion, gates: new Map() })],
      round,
      towards: 'On',
    });
  expect(at('1.29.1').off).toBe(1);
  expect(at('1.36.0').on).toBe(1);
  expect(at('1.31.0').unregistered).toBe(1);
});

test('countUses() I11: every process is in one class, and a silent one is never counted as matching', () => {
  const report = fc.record({
    on: fc.boolean(),
    epoch: fc.integer({ min: 3, max: 6 }),
    current: fc.boolean(),
    renewedMs: fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(report, { maxLength: 12 }), fc.array(fc.boolean(), { maxLength: 12 }), (reports, nodes) => {
      const roster = nodeRoster(
        nodes.map((_live, index) => `n${index}`),
        (node) => nodes[Number(node.slice(1))] ?? false,
      );
      const all = reports.map((one, index) => aReport(`n${index}`, one));
      const { expected, on, off, unregistered, silent } = count(agent({ roster }), ...all);
      expect(expected).toBe(nodes.length);
      expect(on + off + unregistered + silent).toBe(expected);
      const witnessed = reports.filter(
        ({ current, epoch, renewedMs }, index) =>
          nodes[index] && current && (epoch >= round.epoch || (renewedMs ?? 0) > round.openedMs + round.settleMs),
      );
      expect(on).toBe(witnessed.filter((one) => one.on).length);
      expect(off).toBe(witnessed.filter((one) => !one.on).length);
    }),
  );
});
