import { epochConfigMap, featureUseName, vectorName } from '@slipway/feature-gates';
import { Feature } from '@slipway/features';
import { hasReason, type KubeObject, type ResourceRef, sleep, systemClock } from '@slipway/kube';
import { type CheckedProgram, eventually, namespace, type Run, type SeenReport } from './checked-program.js';

/** What a case found: it holds, it does not and why, or the program does not take part in this part of the protocol. */
export type Finding =
  | { readonly result: 'Passed' }
  | { readonly result: 'Failed' | 'NotSupported'; readonly detail: string };

/** One rule of docs/reference/reporting-protocol.md, played against a program. */
export interface ReportCase {
  readonly name: string;
  /** The rule, as the reference states it. */
  readonly rule: string;
  play(program: CheckedProgram): Promise<Finding>;
}

const passed: Finding = { result: 'Passed' };
const failed = (detail: string): Finding => ({ result: 'Failed', detail });

/** Longer than any renewal within a case: what is reported then was reported for another reason. */
const rarely = 300;
const often = 2;

/** Played in this order, each with a process of its own. */
export const reportCases: readonly ReportCase[] = [
  {
    name: 'first-report',
    rule: 'A process reports within 10 s of its start: first the FeatureVector, then the FeatureUse that points to it.',
    play: (program) =>
      withReport(program, rarely, async (report) => {
        const writes = program.front.seen.filter(({ method }) => method !== 'GET').map(({ path }) => path);
        if (!/featurevectors/.test(writes[0] ?? '')) return failed(`the first write was to ${writes[0]}`);
        return report.vector ? passed : failed(`FeatureVector ${report.use.spec.vector} does not exist`);
      }),
  },
  {
    name: 'vector',
    rule: 'A FeatureVector is named v- and 32 hex digits of the SHA-256 of its spec; gates are sorted, without AllAlpha and AllBeta.',
    play: (program) => withReport(program, rarely, async ({ vector }) => vectorFinding(vector)),
  },
  {
    name: 'use',
    rule: 'A FeatureUse is named after component and instance, and says version, incarnation, source, epoch, time and lease.',
    play: (program) => withReport(program, rarely, async (report, run) => useFinding(report, run)),
  },
  {
    name: 'renewal',
    rule: 'A report is renewed before a third of its lease is over, by one write that changes neither incarnation nor values.',
    play: (program) => withReport(program, often, (report) => renewalFinding(program, report)),
  },
  {
    name: 'deleted',
    rule: 'A report or vector that was deleted is there again after the next renewals.',
    play: (program) =>
      withReport(program, often, async ({ use, vector }) => {
        const at = { namespace };
        await remove(program, 'featureuses', use.metadata.name ?? '');
        await remove(program, 'featurevectors', vector?.metadata.name ?? '');
        const again = await eventually(4 * often * 1000, async () => {
          const report = await program.report(use.spec.instance);
          return report?.vector && report;
        });
        return again ? passed : failed(`FeatureUse and FeatureVector did not return in namespace ${at.namespace}`);
      }),
  },
  {
    name: 'round',
    rule: 'When data.epoch of ConfigMap slipway-use-epoch grows, a process reports that epoch within data.spreadSeconds.',
    play: (program) => withReport(program, rarely, (report) => roundFinding(program, report)),
  },
  {
    name: 'no-polling',
    rule: 'A process watches the ConfigMap and does not poll it.',
    play: (program) =>
      withReport(program, rarely, async () => {
        const fromMs = performance.now();
        await sleep(systemClock, 3_000);
        const polls = program.front.since(fromMs).filter(({ method }) => method === 'GET');
        return polls.length <= 2 ? passed : failed(`${polls.length} reads in 3 s, for example ${polls[0]?.path}`);
      }),
  },
  {
    name: 'refused',
    rule: 'Writes that fail are tried again with growing pauses, not before Retry-After, and in the end succeed.',
    play: (program) => withReport(program, often, (report) => refusedFinding(program, report)),
  },
  {
    name: 'away',
    rule: 'A process survives that the API server is away, and reports again when it is back.',
    play: (program) => withReport(program, often, (report, run) => awayFinding(program, report, run)),
  },
  {
    name: 'token',
    rule: 'The token is read anew for each request, because it is replaced while the process runs.',
    play: (program) =>
      withReport(program, often, async (report) => {
        await program.replaceToken();
        program.front.reset();
        return (await renewedAfter(program, report)) ? passed : failed('no report after the token was replaced');
      }),
  },
  {
    name: 'live-value',
    rule: 'A gate with follows takes the value that its Feature publishes; a value for the next start is reported as pendingRestart.',
    play: (program) => withReport(program, rarely, (report) => liveFinding(program, report)),
  },
  {
    name: 'stop',
    rule: 'At SIGTERM a process deletes its report and ends within 5 s.',
    play: (program) =>
      withReport(program, rarely, async ({ use }, run) => {
        run.process.kill('SIGTERM');
        const end = await Promise.race([run.ended, sleep(systemClock, 5_000).then(() => 'late' as const)]);
        if (end === 'late') return failed('still running 5 s after SIGTERM');
        return (await program.report(use.spec.instance)) ? failed('its FeatureUse is still there') : passed;
      }),
  },
  {
    name: 'restart',
    rule: 'A new process of the same instance takes the report over with a new incarnation, and the old one does not delete it.',
    play: (program) => withReport(program, rarely, (report, run) => restartFinding(program, report, run)),
  },
];

/** Starts a process, waits for its report, and ends it after the case. */
async function withReport(
  program: CheckedProgram,
  renewSeconds: number,
  play: (report: SeenReport, run: Run) => Promise<Finding>,
): Promise<Finding> {
  const instance = program.nextInstance();
  program.front.seen.length = 0;
  const run = program.start({ instance, renewSeconds });
  try {
    const report = await eventually(10_000, () => program.report(instance));
    if (!report)
      return failed(`no FeatureUse of instance ${instance} within 10 s. It printed: ${lastLine(program.output)}`);
    return await play(report, run);
  } finally {
    program.front.fault = undefined;
    run.process.kill('SIGKILL');
    await run.ended;
  }
}

function vectorFinding(vector: SeenReport['vector']): Finding {
  if (!vector) return failed('the FeatureVector does not exist');
  const name = vectorName(vector.spec);
  if (vector.metadata.name !== name) return failed(`it is named ${vector.metadata.name}; its spec hashes to ${name}`);
  const gates = vector.spec.gates.map((gate) => gate.name);
  if (gates.join() !== gates.toSorted().join()) return failed(`gates are not sorted: ${gates.join(', ')}`);
  const settings = gates.filter((gate) => gate === 'AllAlpha' || gate === 'AllBeta');
  return settings.length === 0 ? passed : failed(`${settings.join(' and ')} is not a feature`);
}

function useFinding({ use: { metadata, spec }, vector }: SeenReport, run: Run): Finding {
  const name = featureUseName(spec.component, spec.instance);
  if (metadata.name !== name) return failed(`it is named ${metadata.name}, not ${name}`);
  if (spec.component !== vector?.spec.component || spec.binaryVersion !== vector.spec.binaryVersion)
    return failed('component or binaryVersion differs from that of its FeatureVector');
  if (spec.source !== 'Library') return failed(`source is ${spec.source}, not Library`);
  const missing = (['renewTime', 'leaseDurationSeconds', 'epoch'] as const).filter(
    (field) => spec[field] === undefined,
  );
  if (missing.length > 0) return failed(`${missing.join(', ')} missing`);
  const ageMs = Date.now() - Date.parse(spec.renewTime ?? '');
  if (!(Math.abs(ageMs) < 60_000)) return failed(`renewTime ${spec.renewTime} is not the time of the report`);
  const { leaseDurationSeconds = 0 } = spec;
  if (leaseDurationSeconds < 3 * rarely)
    return failed(`a lease of ${leaseDurationSeconds} s with renewals every ${rarely} s`);
  return run.process.exitCode === null ? passed : failed('the process ended');
}

async function renewalFinding(program: CheckedProgram, { use }: SeenReport): Promise<Finding> {
  const fromMs = performance.now();
  const times = new Set<string | undefined>();
  await eventually(4 * often * 1000, async () => {
    const now = await program.report(use.spec.instance);
    times.add(now?.use.spec.renewTime);
    return times.size > 2 ? now : undefined;
  });
  if (times.size <= 2) return failed(`not renewed twice within ${4 * often} s at a renewal every ${often} s`);
  const now = await program.report(use.spec.instance);
  for (const field of ['incarnation', 'vector'] as const)
    if (now?.use.spec[field] !== use.spec[field]) return failed(`${field} changed with a renewal`);
  const writes = program.front.since(fromMs).filter(({ method }) => method !== 'GET');
  return writes.length <= 6 ? passed : failed(`${writes.length} writes for three renewals`);
}

async function roundFinding(program: CheckedProgram, { use }: SeenReport): Promise<Finding> {
  const { instance } = use.spec;
  const reported = (epoch: number, withinMs: number) =>
    eventually(withinMs, async () => ((await program.report(instance))?.use.spec.epoch === epoch ? true : undefined));
  const epoch = (use.spec.epoch ?? 0) + 7;
  await publishEpoch(program, String(epoch));
  if (!(await reported(epoch, 5_000))) return failed(`epoch ${epoch} was not reported within 5 s`);
  for (const odd of ['soon', '', String(epoch - 3)]) {
    await publishEpoch(program, odd);
    await sleep(systemClock, 300);
    const now = (await program.report(instance))?.use.spec.epoch;
    if (now !== epoch) return failed(`data.epoch ${JSON.stringify(odd)} changed the reported epoch to ${now}`);
  }
  await publishEpoch(program, String(epoch + 1));
  return (await reported(epoch + 1, 5_000)) ? passed : failed('no report for the epoch after an unusable one');
}

async function refusedFinding(program: CheckedProgram, report: SeenReport): Promise<Finding> {
  const isWrite = ({ method }: { readonly method: string }) => method !== 'GET';
  program.front.fault = (request) => (isWrite(request) ? { status: 500 } : undefined);
  const fromMs = performance.now();
  await sleep(systemClock, 6_000);
  const tries = program.front.since(fromMs).filter(isWrite).length;
  if (tries > 20) return failed(`${tries} writes in 6 s while each was answered with 500`);
  let firstMs: number | undefined;
  program.front.fault = (request) => {
    if (!isWrite(request)) return undefined;
    firstMs ??= request.atMs;
    return { status: 429, retryAfterSeconds: 3 };
  };
  await eventually(60_000, async () => firstMs);
  await sleep(systemClock, 2_500);
  const early = program.front.since((firstMs ?? 0) + 1).filter(isWrite).length;
  if (early > 0) return failed(`${early} writes within 2.5 s of an answer with Retry-After: 3`);
  program.front.fault = undefined;
  return (await renewedAfter(program, report)) ? passed : failed('no report after the API server recovered');
}

async function awayFinding(program: CheckedProgram, report: SeenReport, run: Run): Promise<Finding> {
  program.front.fault = () => 'reset';
  program.front.reset();
  await sleep(systemClock, 3_000);
  if (run.process.exitCode !== null || run.process.signalCode !== null) return failed('the process ended');
  program.front.fault = undefined;
  return (await renewedAfter(program, report)) ? passed : failed('no report after the API server was back');
}

/** Whether a report newer than all so far arrives; backoff may have grown to half a minute. */
async function renewedAfter(program: CheckedProgram, { use }: SeenReport): Promise<boolean> {
  const before = (await program.report(use.spec.instance))?.use.metadata.resourceVersion;
  const renewed = await eventually(60_000, async () => {
    const now = (await program.report(use.spec.instance))?.use.metadata.resourceVersion;
    return now !== undefined && now !== before ? now : undefined;
  });
  return renewed !== undefined;
}

async function liveFinding(program: CheckedProgram, { use, vector }: SeenReport): Promise<Finding> {
  const gate = vector?.spec.gates.find(({ follows }) => follows);
  if (!gate) return { result: 'NotSupported', detail: 'no gate of its vector follows published values' };
  const becomes = (what: string, holds: (now: { enabled?: boolean; pendingRestart?: boolean }) => boolean) =>
    eventually(5_000, async () => {
      const now = (await program.report(use.spec.instance))?.vector?.spec.gates.find(({ name }) => name === gate.name);
      return now && holds(now) ? what : undefined;
    });
  const other = !gate.enabled;
  await publish(program, gate.name, { value: other, epoch: 1 });
  if (!(await becomes('other', ({ enabled }) => enabled === other)))
    return failed(`${gate.name} did not become ${other}`);
  await publish(program, gate.name, { value: gate.enabled, epoch: 2, authority: 'another-component' });
  const isPending = await becomes(
    'pending',
    ({ enabled, pendingRestart }) => enabled === other && pendingRestart === true,
  );
  if (!isPending) return failed(`${gate.name} is published for the next start, and is not reported as pendingRestart`);
  await publish(program, gate.name, { value: other, epoch: 3, authority: use.spec.component });
  const isOwn = await becomes('own', ({ pendingRestart }) => !pendingRestart);
  return isOwn
    ? passed
    : failed(`${gate.name} is set by the flags of ${use.spec.component}, and still waits for a restart`);
}

async function restartFinding(program: CheckedProgram, { use }: SeenReport, first: Run): Promise<Finding> {
  const { instance, incarnation } = use.spec;
  const second = program.start({ instance, renewSeconds: rarely });
  try {
    const taken = await eventually(10_000, async () => {
      const now = (await program.report(instance))?.use.spec.incarnation;
      return now !== undefined && now !== incarnation ? now : undefined;
    });
    if (taken === undefined) return failed('the second process did not report with an incarnation of its own');
    first.process.kill('SIGTERM');
    await first.ended;
    return (await program.report(instance)) ? passed : failed('the first process deleted the report of the second');
  } finally {
    second.process.kill('SIGKILL');
    await second.ended;
  }
}

const ConfigMap: ResourceRef<KubeObject & { data?: Record<string, string> }> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

async function publishEpoch({ kube }: CheckedProgram, epoch: string): Promise<void> {
  const metadata = { name: epochConfigMap, namespace };
  const data = { epoch, spreadSeconds: '0.5' };
  const configMaps = kube.resource(ConfigMap);
  try {
    await configMaps.mutate(metadata, (draft) => ({ ...draft, data }));
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
    await configMaps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  }
}

async function publish({ kube }: CheckedProgram, gate: string, published: object): Promise<void> {
  const collection = `/apis/${Feature.group}/${Feature.version}/namespaces/${namespace}/features`;
  const body = {
    apiVersion: `${Feature.group}/${Feature.version}`,
    kind: 'Feature',
    metadata: { name: gate.toLowerCase(), namespace },
    spec: { gate },
  };
  await kube.transport.request({ method: 'POST', path: collection, body });
  await kube.transport.request({
    method: 'PATCH',
    path: `${collection}/${gate.toLowerCase()}/status`,
    contentType: 'application/merge-patch+json',
    body: { status: { published: { authority: null, ...published } } },
  });
}

async function remove({ kube }: CheckedProgram, plural: string, name: string): Promise<void> {
  const collection = `/apis/${Feature.group}/${Feature.version}/namespaces/${namespace}/${plural}`;
  await kube.transport.request({ method: 'DELETE', path: `${collection}/${name}` });
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) || 'nothing';
}
