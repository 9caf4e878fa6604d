/**
 * Feature servers under load: 10,000 processes that must agree, 10,000 objects of which 1,000 use a field, a leader that
 * dies. Real servers over an API in memory with a clock that is stepped: what is measured is waiting and the
 * number of requests, not how fast this machine is.
 */
import { clearField, defineFeature } from '@slipway/features';
import { aWidget, FeatureWorld, Widget } from './support/feature-world.js';
import { type Measured, report } from './support/report.js';

const processes = Number(process.env.BENCH_PROCESSES ?? 10_000);
const objects = Number(process.env.BENCH_OBJECTS ?? 10_000);
const hits = objects / 10;
const pageSize = 500;

const common = {
  stages: [{ version: '1.30', stage: 'Alpha', default: false }],
  dynamic: 'Live',
  cleanup: 'Automatic',
} as const;

const target = (value: number) => ({ name: 'target', value });
const rows: Measured[] = [...(await agreement()), ...(await clearing())];
report('features', rows);

/** From the wish to be off until all processes were seen to be. */
async function agreement(): Promise<Measured[]> {
  const components = [onNodes('kubelet'), onNodes('kube-proxy')];
  const world = new FeatureWorld(defineFeature({ ...common, gate: 'Load', components }), processes);
  world.report(true);
  world.start('one');
  await world.until(() => world.status()?.state === 'On');
  const startedMs = world.clock.monotonicMs();
  const before = world.writes.length;
  await world.edit({ mode: 'Dynamic', desired: 'Off' });
  await world.until(() => world.status()?.state === 'Off');
  const tookSeconds = (world.clock.monotonicMs() - startedMs) / 1_000;
  const seconds = new Map<number, number>();
  for (const ms of world.writes.slice(before)) {
    const tenth = Math.floor(ms / 10_000);
    seconds.set(tenth, (seconds.get(tenth) ?? 0) + 1);
  }
  const busiest = Math.max(...seconds.values()) / 10;
  await world.stop();
  return [
    row(`WaitForUses over ${processes} processes`, 's', tookSeconds, 150),
    row('writes in its busiest ten seconds, reports and server', '1/s', busiest, 100),
  ];
}

/** A field taken out of a tenth of the objects; once more with a leader that dies half-way. */
async function clearing(): Promise<Measured[]> {
  const [undisturbed, disturbed] = [await clear(false), await clear(true)];
  return [
    row(`ClearField over ${objects} objects with ${hits} hits at 50 qps`, 's', undisturbed.seconds, 30),
    row('pages read again after its leader died', 'pages', disturbed.pages - undisturbed.pages, 1),
    row('objects changed more than once', 'objects', disturbed.twice, 0),
    row('from the death of the leader to the first write of the next', 's', disturbed.failoverSeconds, 25),
  ];
}

async function clear(dies: boolean) {
  const field = { group: Widget.group, resource: Widget.plural, path: 'spec.fancy' };
  const references = [field];
  const world = new FeatureWorld(
    defineFeature({ ...common, gate: 'Load', components: ['acme'], references, tasks: { off: [clearField(field)] } }),
  );
  world.report(true);
  for (let index = 0; index < objects; index++) world.api.seed(Widget, aWidget(index, index % 10 === 0));
  const leader = world.start('one', '0.2.0');
  world.start('two', '0.1.0');
  await world.until(() => world.status()?.state === 'On');
  let [pages, patches, startedMs, diedMs, resumedMs] = [0, 0, 0, 0, 0];
  const isClearing = () => world.status()?.transition?.tasks[0]?.kind === 'ClearField';
  world.watch = (request, server) => {
    if (server === 'two' && diedMs > 0 && request.method !== 'GET' && !request.path.includes('/leases')) {
      resumedMs ||= world.clock.monotonicMs();
    }
    if (!isClearing() || !request.path.includes('/widgets')) return;
    startedMs ||= world.clock.monotonicMs();
    if (request.method === 'GET' && request.path.includes('/widgets?')) pages++;
    if (request.method === 'PATCH' && ++patches === hits / 2 && dies) {
      diedMs = world.clock.monotonicMs();
      leader();
    }
  };
  await world.edit({ mode: 'Dynamic', desired: 'Off', pace: { qps: 50, pageSize } });
  await world.until(() => startedMs > 0 && !isClearing(), 20);
  const endedMs = world.clock.monotonicMs();
  const twice = world.api.stored(Widget).filter(({ metadata }) => (metadata.generation ?? 0) > 2).length;
  await world.stop();
  return { seconds: (endedMs - startedMs) / 1_000, failoverSeconds: (resumedMs - diedMs) / 1_000, pages, twice };
}

function onNodes(name: string) {
  return { name, required: true, roster: 'Nodes' } as const;
}

function row(what: string, unit: string, value: number, at: number): Measured {
  return { what, unit, better: 'less', value, anchor: target(at) };
}
