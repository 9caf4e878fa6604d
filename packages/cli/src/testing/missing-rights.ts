import { type Kube, type KubeObject, type Logger, type ResourceRef, type Runnable, silentLog } from '@slipway/kube';
import { verbsIn, withoutVerb } from './audited-verbs.js';

/** A process with the rights of some roles, and work for which it needs all of them. */
export interface RightsTrial {
  /** An administrator. */
  readonly admin: Kube;
  /** Makes the process, which logs there. */
  process(log: Logger): Runnable;
  /** Leaves what the process will have to write, change or delete. Called before each start of the process. */
  prepare(): Promise<void>;
  /** Requests work and returns its parts, each of which resolves when the process has done it, or rejects when `signal` aborts. */
  work(signal: AbortSignal): Readonly<Record<string, Promise<void>>>;
  /** Returns conditions and events that users see while the work waits. */
  shown(): Promise<string>;
  /** Lets `ms` of the time of the cluster pass. */
  pass(ms: number): Promise<void>;
}

/** A verb on a resource that a role grants, as in `list pods`. */
export interface GrantedRight {
  readonly role: KubeObject;
  readonly verb: string;
}

/** How a process did without one right, until it got it back. */
export interface TrialResult {
  readonly right: GrantedRight;
  /** Where the missing right was named. */
  readonly named: 'log' | 'condition or event' | 'nowhere';
  /** Parts of the work that were not done without it. */
  readonly waiting: readonly string[];
  /** What must not happen: that the process ended, or did not go on when it got the right back. */
  readonly failure?: string;
}

/** A missing right must be named, and work that does not need it done, within this time. */
const withinMs = 60_000;
/** The same without the right to watch: objects are listed again at most every 30 s, and work takes several steps. */
const withoutWatchMs = 600_000;
const stepMs = 250;
/** A busy machine gets this long, in its own time, for what has to happen. */
const patienceMs = 20_000;

/** Returns each verb that some roles grant. */
export function rightsIn(roles: readonly KubeObject[]): readonly GrantedRight[] {
  return roles.flatMap((role) => [...new Set(verbsIn(role))].map((verb) => ({ role, verb })));
}

/** Whether each right is tried, as in CI: otherwise every eighth is, which others with each seed. */
export const triesAll = process.env.SLIPWAY_SIMULATION_RUNS !== undefined;

/** Returns those that a test takes away in turn. */
export function rightsToTry(rights: readonly GrantedRight[]): readonly GrantedRight[] {
  const first = Math.abs(Number(process.env.SLIPWAY_SEED)) % 8;
  return triesAll ? rights : rights.filter((_, at) => at % 8 === first);
}

/** Starts the process without one right, gives it back after a while, and waits until all work is done. */
export async function tryWithout(trial: RightsTrial, right: GrantedRight): Promise<TrialResult> {
  const { role, verb } = right;
  const lines: string[] = [];
  const note = (message: string, fields: object = {}) =>
    void lines.push(`${message} ${Object.values(fields).join(' ')}`);
  await trial.prepare();
  await putRules(trial.admin, withoutVerb(role, verb));
  const process = trial.process({ ...silentLog, warn: note, error: note });
  const stopping = new AbortController();
  let failure: string | undefined;
  const running = Promise.resolve(process.start(stopping.signal)).catch((error: unknown) => {
    failure ??= `the process ended: ${error}`;
  });
  const parts = trial.work(stopping.signal);
  const waiting = new Set(Object.keys(parts));
  for (const [part, done] of Object.entries(parts)) void done.then(() => waiting.delete(part)).catch(() => {});
  const work = Promise.all(Object.values(parts));
  await passUntil(trial, work, verb.startsWith('watch ') ? withoutWatchMs : withinMs);
  const waited = [...waiting];
  const shown = await trial.shown();
  if (waited.length > 0) {
    await putRules(trial.admin, role);
    if (!(await passUntil(trial, work, withinMs * 2, patienceMs))) failure ??= 'work waits although the right is back';
  }
  stopping.abort(new Error('stopped'));
  const ended = Promise.all([process.stop?.(), running, work.catch(() => {})]);
  if (!(await passUntil(trial, ended, withinMs, patienceMs))) failure ??= 'the process does not stop';
  await putRules(trial.admin, role);
  const named = lines.some((line) => names(line, verb)) ? 'log' : names(shown, verb) ? 'condition or event' : 'nowhere';
  return { right, named, waiting: waited, ...(failure !== undefined && { failure }) };
}

/**
 * Lets time pass until `work` has settled.
 * @returns false when it has not after `maxMs` of the time of the cluster and `patientMs` of that of this machine
 */
export async function passUntil(
  { pass }: Pick<RightsTrial, 'pass'>,
  work: Promise<unknown>,
  maxMs: number,
  patientMs = 0,
): Promise<boolean> {
  const patientUntilMs = performance.now() + patientMs;
  let settled: { readonly error?: unknown } | undefined;
  work.then(
    () => {
      settled = {};
    },
    (error: unknown) => {
      settled = { error };
    },
  );
  const goesOn = (passedMs: number) => !settled && (passedMs < maxMs || performance.now() < patientUntilMs);
  for (let passedMs = 0; goesOn(passedMs); passedMs += stepMs) await pass(stepMs);
  if (settled?.error !== undefined) throw settled.error;
  return settled !== undefined;
}

/** Lets the time of a cluster pass in steps until `work` is done, and returns its result. */
export async function inSteps<T>(cluster: { advance(ms: number): Promise<void> }, work: Promise<T>): Promise<T> {
  await passUntil({ pass: (ms) => cluster.advance(ms) }, work, Number.POSITIVE_INFINITY);
  return await work;
}

/** Whether a text has a message of the API server about this right, as `cannot list resource "pods" in API group ""`, or the right itself. */
function names(text: string, right: string): boolean {
  const [verb = '', resource = ''] = right.split(' ');
  const [plural = '', ...group] = resource.split('.');
  const message = `cannot ${verb} resource "${plural}" in API group "${group.join('.')}"`;
  if (right.includes('/') && text.includes(right)) return true;
  return text.includes(message) || text.includes(JSON.stringify(message).slice(1, -1));
}

async function putRules(admin: Kube, { kind, metadata, rules }: KubeObject): Promise<void> {
  const isNamespaced = kind === 'Role';
  const roles: ResourceRef = {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    kind,
    plural: isNamespaced ? 'roles' : 'clusterroles',
    namespaced: isNamespaced,
  };
  const { name = '', namespace } = metadata;
  await admin.resource(roles).mutate({ name, namespace }, (draft) => ({ ...draft, rules }));
}
