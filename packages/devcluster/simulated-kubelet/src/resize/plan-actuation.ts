import type { Container, ContainerResources, Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { Allocation } from '../allocation/allocation.js';
import { bytesOf } from '../usage/simulated-usage.js';

/** What has to happen to running containers so that they run with what is set aside for them. */
export type Actuation =
  | { readonly kind: 'nothing' }
  /** Some change while they run, those named here are restarted for it. */
  | { readonly kind: 'change'; readonly restarts: readonly string[] }
  | { readonly kind: 'error'; readonly message: string };

/**
 * Plans a change of what containers run with.
 *
 * @param running names of the containers that run; others get their size when they start
 * @param usedBytes memory that a container uses now
 */
export function planActuation(
  pod: Pod,
  allocated: Allocation,
  actuated: Allocation,
  running: ReadonlySet<string>,
  usedBytes: (container: string) => number,
): Actuation {
  const changed = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].flatMap((container) => {
    const [to = {}, from = {}] = [allocated.get(container.name), actuated.get(container.name)];
    const names = (['cpu', 'memory'] as const).filter((name) => differs(name, to, from));
    return running.has(container.name) && names.length > 0 ? [{ container, names, to, from }] : [];
  });
  if (changed.length === 0) return { kind: 'nothing' };
  const restarts = changed.filter(({ container, names }) => names.some((name) => needsRestart(container, name)));
  const inPlace = changed.filter((each) => !restarts.includes(each));
  const tooSmall = inPlace.flatMap(({ container: { name }, to, from }) => {
    const limit = loweredLimit(to, from);
    return limit !== undefined && usedBytes(name) >= limit ? [belowUsage(name, limit, usedBytes(name))] : [];
  });
  if (tooSmall.length > 0) return { kind: 'error', message: `cannot decrease memory limits: ${aggregate(tooSmall)}` };
  return { kind: 'change', restarts: restarts.map(({ container }) => container.name) };
}

function differs(name: 'cpu' | 'memory', a: ContainerResources, b: ContainerResources): boolean {
  return a.requests?.[name] !== b.requests?.[name] || a.limits?.[name] !== b.limits?.[name];
}

function needsRestart({ resizePolicy = [] }: Container, name: string): boolean {
  return resizePolicy.some((one) => one.resourceName === name && one.restartPolicy === 'RestartContainer');
}

/** In bytes; a limit where there was none is a lower one. */
function loweredLimit(to: ContainerResources, from: ContainerResources): number | undefined {
  const [limit, before] = [to.limits?.memory, from.limits?.memory];
  if (limit === undefined) return undefined;
  return before === undefined || bytesOf(limit) < bytesOf(before) ? bytesOf(limit) : undefined;
}

function belowUsage(name: string, limit: number, used: number): string {
  return `attempting to set container ${JSON.stringify(name)} memory limit (${limit}) below current usage (${used})`;
}

function aggregate(problems: readonly string[]): string {
  return problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
}
