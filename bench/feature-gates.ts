import { createFeatureGate } from '@slipway/feature-gates';
import { quantile, report } from './support/report.js';

/** A call of `enabled()`, beside a lookup in a plain Map of the same 200 gates in the same run. Target: below 50 ns. */
const calls = Number(process.env.BENCH_CALLS ?? 1_000_000);
const rounds = 31;

const names = Array.from({ length: 200 }, (_, index) => `SomeFeatureGateNumber${index}`);
const isDefaultOn = (index: number) => index % 3 === 0;
const gate = createFeatureGate({ component: 'bench', version: '1.34' });
gate.add(Object.fromEntries(names.map((name, index) => [name, { stage: 'Beta', default: isDefaultOn(index) }])));
const map = new Map(names.map((name, index) => [name, isDefaultOn(index)]));
const asked = Array.from({ length: 1_024 }, (_, index) => names[(index * 7) % names.length] ?? '');

/** Counts what is on, so that no call can be left out as useless. */
let on = 0;

function nsPerCall(isOn: (name: string) => boolean | undefined): number {
  const started = process.hrtime.bigint();
  for (let call = 0; call < calls; call += 1) if (isOn(asked[call & 1_023] ?? '')) on += 1;
  return Number(process.hrtime.bigint() - started) / calls;
}

const enabled: number[] = [];
const lookup: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  enabled.push(nsPerCall((name) => gate.enabled(name)));
  lookup.push(nsPerCall((name) => map.get(name)));
}
const heapBefore = process.memoryUsage().heapUsed;
nsPerCall((name) => gate.enabled(name));
const bytes = Math.max(0, process.memoryUsage().heapUsed - heapBefore) / calls;
if (on === 0) throw new Error('no gate was ever on');

const better = 'less';
const value = quantile(enabled, 0.5);
report('feature-gates', [
  { what: 'enabled()', unit: 'ns', value, anchor: { name: 'Map lookup', value: quantile(lookup, 0.5) }, better },
  { what: 'enabled(), beside its target', unit: 'ns', value, anchor: { name: 'target', value: 50 }, better },
  { what: 'enabled(), heap per call', unit: 'bytes', value: bytes, better },
]);
