import { Kube, silentLog } from '@slipway/kube';
import { inMemoryApi, ManualClock } from '@slipway/kube/testing';
import type { FeatureSpec, TaskStatus } from '../api/feature.js';
import { apiVersion } from '../api/group.js';
import type { TaskContext } from '../tasks/task-context.js';
import { aDefinition, allOff, startMs } from './a-situation.js';

/** Returns the context of a transition to Off at a task's first run, by default with an in-memory API. */
export function aTaskContext(
  task: Partial<TaskStatus> & { readonly kind: string },
  overrides: Partial<TaskContext> & { readonly spec?: Partial<FeatureSpec> } = {},
): TaskContext {
  const { spec, ...rest } = overrides;
  const clock = new ManualClock();
  const at = new Date(startMs).toISOString();
  const head: TaskStatus = { name: task.kind, argsDigest: '', phase: 'Running', firstAttempt: at, ...task };
  const metadata = { name: 'widgets', namespace: 'acme', uid: 'u1', generation: 4 };
  return {
    kube: new Kube(inMemoryApi({ clock }), { clock }),
    clock,
    log: silentLog,
    signal: new AbortController().signal,
    feature: { apiVersion, kind: 'Feature', metadata, spec: { gate: 'Widgets', ...spec } },
    definition: aDefinition,
    home: 'slipway-system',
    transition: {
      id: '4-abcd',
      seq: 4,
      to: 'Off',
      cause: 'a test',
      startedAt: at,
      plan: 'p',
      tasks: [head],
      completed: [],
    },
    task: head,
    uses: () => allOff,
    rollCalls: () => [],
    neighbours: () => [],
    save: async () => {},
    claim: () => {},
    ...rest,
  };
}
