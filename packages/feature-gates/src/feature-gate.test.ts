import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFeatureGate } from './feature-gate.js';
import type { FeatureGateOptions } from './feature-gate-options.js';
import { FeatureGateError } from './gate/feature-gate-error.js';
import type { GateWarning } from './gate/resolve.js';
import { setGates } from './testing/set-gates.js';

function aGate(options: Partial<FeatureGateOptions> = {}) {
  const warnings: GateWarning[] = [];
  const onWarning = (warning: GateWarning) => warnings.push(warning);
  const gate = createFeatureGate({ component: 'test', version: 'v1.34.2-rc.1', onWarning, ...options });
  gate.add({
    Alpha: { stage: 'Alpha', default: false },
    AlphaOn: { stage: 'Alpha', default: true },
    LockedAlpha: { stage: 'Alpha', default: false, locked: true },
    Beta: { stage: 'Beta', default: true },
    LockedBeta: { stage: 'Beta', default: true, locked: true },
    Stable: { stage: 'GA', default: true },
    Moves: [
      { version: '1.32', stage: 'Alpha', default: false },
      { version: '1.34', stage: 'Beta', default: true },
    ],
  });
  return { gate, warnings };
}

const free = ['Alpha', 'AlphaOn', 'Beta', 'Stable', 'Moves'];
const values = ({ gate }: ReturnType<typeof aGate>) => gate.list().map((state) => [state.name, state.enabled]);
const settings = fc.dictionary(fc.constantFrom(...free), fc.boolean());
const asFlag = (map: Readonly<Record<string, boolean>>) => Object.entries(map).map(([gate, on]) => `${gate}=${on}`);

test('toString() is a flag value that brings another gate to the same values', () => {
  fc.assert(
    fc.property(settings, fc.subarray(['AllAlpha=true', 'AllBeta=false']), (map, sweeps) => {
      const one = aGate({ strict: true });
      one.gate.set([...asFlag(map), ...sweeps].join(','));
      const other = aGate({ strict: true });
      other.gate.set(one.gate.toString());
      expect(values(other)).toEqual(values(one));
      expect(other.gate.toString()).toBe(one.gate.toString());
    }),
  );
});

test('set() does not depend on the order of its items: what is typed wins over a sweep', () => {
  const items = settings.chain((map) => {
    const all = [...asFlag(map), 'AllAlpha=true', 'AllBeta=false'];
    return fc.tuple(fc.constant(map), fc.shuffledSubarray(all, { minLength: all.length }));
  });
  fc.assert(
    fc.property(items, ([map, shuffled]) => {
      const one = aGate();
      one.gate.set(shuffled.join(','));
      const other = aGate();
      other.gate.set([...shuffled].sort().join(','));
      expect(values(one)).toEqual(values(other));
      for (const [gate, on] of Object.entries(map)) expect(one.gate.enabled(gate)).toBe(on);
    }),
  );
});

test('set() and setFromMap() agree', () => {
  fc.assert(
    fc.property(settings, (map) => {
      const one = aGate();
      one.gate.set(asFlag(map).join(','));
      const other = aGate();
      other.gate.setFromMap(map);
      expect(other.gate.list()).toEqual(one.gate.list());
    }),
  );
});

test('set() either throws a FeatureGateError and changes no value, or takes everything, whatever is typed', () => {
  const item = fc.oneof(
    fc.string(),
    fc
      .tuple(fc.oneof(fc.constantFrom(...free, 'LockedAlpha', 'AllBeta', '__proto__'), fc.string()), fc.string())
      .map(String),
    fc
      .tuple(fc.constantFrom(...free, 'Ghost', '__proto__'), fc.constantFrom('true', 'F', ' 1 ', 'yes'))
      .map((p) => p.join('=')),
  );
  fc.assert(
    fc.property(fc.array(item), (typed) => {
      const story = aGate();
      const before = values(story);
      try {
        story.gate.set(typed.join(','));
      } catch (error) {
        expect(error).toBeInstanceOf(FeatureGateError);
        expect(values(story)).toEqual(before);
      }
    }),
  );
});

test('a copy does not leak, in either direction', () => {
  const story = aGate();
  story.gate.set('Alpha=true');
  const copy = story.gate.copy();
  copy.set('Beta=false');
  story.gate.set('Stable=false');
  expect([copy.enabled('Alpha'), copy.enabled('Beta'), copy.enabled('Stable')]).toEqual([true, false, true]);
  expect(story.gate.enabled('Beta')).toBe(true);
});

test('the emulated version is that of the program, without patch, unless told', () => {
  expect(aGate().gate.emulationVersion).toBe('1.34');
  expect(aGate().gate.minCompatibilityVersion).toBe('1.33');
  const { gate } = aGate({ emulationVersion: '1.33', minCompatibilityVersion: '1.32' });
  expect([gate.emulationVersion, gate.minCompatibilityVersion, gate.enabled('Moves')]).toEqual(['1.33', '1.32', false]);
  expect(() => createFeatureGate({ component: 'c', version: 'latest' })).toThrow('not a version: "latest"');
});

test('reading a gate before it is set is noticed, once, and stays so', () => {
  const { gate, warnings } = aGate();
  gate.enabled('Alpha');
  gate.set('Alpha=true');
  gate.set('Alpha=false');
  expect(warnings.map(({ kind, gate: name }) => [kind, name])).toEqual([['inconsistentRead', 'Alpha']]);
  const states = gate.list().filter((state) => state.mixed);
  expect(states.map((state) => state.name)).toEqual(['Alpha']);
});

test('list() does not count as reading', () => {
  const { gate, warnings } = aGate();
  gate.list();
  gate.metrics();
  gate.set('Alpha=true');
  expect(warnings).toEqual([]);
  expect(gate.list().some((state) => state.read)).toBe(false);
});

test('turning a sweep around warns that it leaves what it swept', () => {
  const { gate, warnings } = aGate();
  gate.set('AllAlpha=true');
  gate.set('AllAlpha=false');
  expect(gate.enabled('Alpha')).toBe(true);
  expect(warnings.map(({ kind }) => kind)).toEqual(['sweptValueKept']);
});

test('a strict gate respects locks when sweeping, sweeps anew, and forgets what it refused', () => {
  const { gate, warnings } = aGate({ strict: true });
  gate.set('AllAlpha=true,AllBeta=false');
  expect([gate.enabled('LockedAlpha'), gate.enabled('LockedBeta')]).toEqual([false, true]);
  gate.set('AllAlpha=false');
  expect(gate.list().find((state) => state.name === 'Alpha')?.enabled).toBe(false);
  expect(() => gate.set('Ghost=true')).toThrow('unrecognized feature gate: Ghost');
  gate.set('Beta=true');
  expect(gate.enabled('Beta')).toBe(true);
  expect(warnings).toEqual([]);
});

test('several complaints are one error that lists them', () => {
  const { gate } = aGate();
  const locked = (name: string, to: boolean) => `cannot set feature gate ${name} to ${to}, feature is locked to ${!to}`;
  const errors = [locked('LockedAlpha', true), locked('LockedBeta', false)];
  try {
    gate.set('LockedAlpha=true,LockedBeta=false');
    expect.unreachable();
  } catch (error) {
    expect((error as FeatureGateError).errors).toEqual(errors);
    expect((error as Error).message).toBe(`[${errors.join(', ')}]`);
  }
});

test('metrics() is the text that scrapers of Kubernetes components read', () => {
  const gate = createFeatureGate({ component: 'c', version: '1.0' });
  gate.add({ Fast: { stage: 'GA', default: true } });
  expect(gate.metrics()).toBe(
    [
      '# HELP kubernetes_feature_enabled [BETA] Whether a feature gate is on in this process, by name and stage.',
      '# TYPE kubernetes_feature_enabled gauge',
      'kubernetes_feature_enabled{name="AllAlpha",stage="ALPHA"} 0',
      'kubernetes_feature_enabled{name="AllBeta",stage="BETA"} 0',
      'kubernetes_feature_enabled{name="Fast",stage=""} 1',
      '',
    ].join('\n'),
  );
});

test('metrics() counts the reports that failed once reporting has started', async () => {
  const { gate } = aGate();
  const transport = { request: () => Promise.reject(new Error('away')) };
  await using _reporting = gate.startReporting({ transport, namespace: 'a', instance: 'b', log: () => {} });
  expect(gate.metrics()).toContain('\nslipway_feature_report_failures_total 0\n');
});

test('flag() ends registration and offers every gate worth offering', () => {
  const { gate } = aGate();
  const { name, help } = gate.flag();
  expect(name).toBe('feature-gates');
  expect(help.split('\n')).toContain('Moves=true|false (BETA - default=true)');
  expect(help).not.toContain('Stable=');
  expect(() => gate.add({ Late: { stage: 'Alpha', default: false } })).toThrow('after adding it to the flag set');
});

test('setGates() leaves no trace, whatever is set and read meanwhile', () => {
  fc.assert(
    fc.property(settings, settings, fc.subarray(free), (typed, meanwhile, read) => {
      const { gate } = aGate();
      gate.setFromMap(typed);
      const before = [gate.list(), gate.toString()];
      {
        using _set = setGates(gate, meanwhile);
        for (const name of read) gate.enabled(name);
      }
      expect([gate.list(), gate.toString()]).toEqual(before);
    }),
  );
});
