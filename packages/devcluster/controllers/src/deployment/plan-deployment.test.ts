import { controllerOf } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { Deployment, ReplicaSet } from '@slipway/kube-objects/kinds/api/workloads';
import { aDeployment, aPod, aSetOf, aTemplate } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deploymentStatus } from './deployment-status.js';
import { planDeployment } from './plan-deployment.js';
import { isComplete } from './progress.js';
import {
  desiredReplicasAnnotation,
  type Generations,
  generations,
  maxReplicasAnnotation,
  revisionAnnotation,
  scaleAnnotations,
} from './revisions.js';

function annotated(set: ReplicaSet, revision: number, desired = 3): ReplicaSet {
  const annotations = {
    [revisionAnnotation]: `${revision}`,
    [desiredReplicasAnnotation]: `${desired}`,
    [maxReplicasAnnotation]: `${desired + 1}`,
  };
  return { ...set, metadata: { ...set.metadata, annotations } };
}

const told = (deployment: Deployment, found: Generations, pods: readonly Pod[] = []) =>
  planDeployment(deployment, found, pods)
    .actions.map((action) =>
      action.kind === 'scale'
        ? `scale ${action.set.metadata.name} to ${action.replicas}`
        : action.kind === 'create'
          ? `create with ${action.set.spec.replicas}`
          : `${action.kind} ${action.set.metadata.name}`,
    )
    .join(', ');
const recreate = (spec: Partial<Deployment['spec']> = {}) => aDeployment({ strategy: { type: 'Recreate' }, ...spec });
const none = { current: undefined, old: [] };
const podOf = (set: ReplicaSet, overrides: Parameters<typeof aPod>[1] = {}) => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: set.metadata.uid ?? '', controller: true };
  const pod = aPod('p', overrides);
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } };
};

test('planDeployment() starts with a set of all replicas', () => {
  expect(told(aDeployment(), none)).toBe('create with 3');
  expect(planDeployment(aDeployment(), none, []).revision).toBe(1n);
  expect(told(recreate(), none)).toBe('create with 3');
});

test('planDeployment() gives a new template its own set, as far as surge allows', () => {
  expect(told(aDeployment(), { current: undefined, old: [annotated(aSetOf('old', 3), 1)] })).toBe('create with 1');
});

test('planDeployment() does nothing about a new template while paused', () => {
  const old = [annotated(aSetOf('old', 3), 1)];
  expect(told(aDeployment({ paused: true }), { current: undefined, old })).toBe('');
  expect(planDeployment(aDeployment({ paused: true }), { current: undefined, old }, []).revision).toBeUndefined();
});

test('planDeployment() scales before it rolls out', () => {
  const old = [annotated(aSetOf('old', 3), 1)];
  expect(told(aDeployment({ replicas: 5 }), { current: undefined, old })).toBe('scale old to 5');
});

test('planDeployment() with Recreate waits until the last old pod has stopped', () => {
  const full = annotated(aSetOf('old', 3), 1);
  const empty = annotated(aSetOf('old', 0), 1);
  expect(told(recreate(), { current: undefined, old: [full] })).toBe('scale old to 0');
  const stopping = podOf(empty, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
  expect(controllerOf(stopping)?.uid).toBe(empty.metadata.uid);
  expect(told(recreate(), { current: undefined, old: [empty] }, [stopping])).toBe('');
  expect(told(recreate(), { current: undefined, old: [empty] }, [podOf(empty, { status: { phase: 'Failed' } })])).toBe(
    'create with 3',
  );
  expect(told(recreate(), { current: undefined, old: [empty] })).toBe('create with 3');
});

test('planDeployment() aligns a set that becomes current again and gives it a new revision', () => {
  const found = { current: annotated(aSetOf('first', 0), 1), old: [annotated(aSetOf('second', 3), 2)] };
  expect(told(aDeployment(), found)).toBe('align first, scale first to 1');
  expect(planDeployment(aDeployment(), found, []).revision).toBe(3n);
});

test('planDeployment() gives up old history once it is done', () => {
  const status = { observedGeneration: 1, replicas: 3, updatedReplicas: 3, availableReplicas: 3 };
  const old = [annotated(aSetOf('a', 0), 1), annotated(aSetOf('b', 0), 2)];
  const found = { current: annotated(aSetOf('c', 3), 3), old };
  expect(told(aDeployment({ revisionHistoryLimit: 1 }, { status }), found)).toBe('delete a');
  expect(told(aDeployment({ revisionHistoryLimit: 1 }), found)).toBe('');
});

/** ReplicaSets as the world has them: what was planned is done, and pods become available by chance. */
class World {
  deployment = aDeployment();
  sets = new Map<string, ReplicaSet>();

  edit(spec: Partial<Deployment['spec']>): void {
    this.deployment = { ...this.deployment, spec: { ...this.deployment.spec, ...spec } };
  }

  /** One look of the controller. Returns whether it did something. */
  look(): boolean {
    const { actions, revision } = planDeployment(this.deployment, this.found(), []);
    for (const { kind, set, ...rest } of actions) {
      const name = set.metadata.name ?? '';
      if (kind === 'create') {
        expect(this.sets.has(name)).toBe(false);
        const creationTimestamp = new Date(this.sets.size * 1000).toISOString();
        this.sets.set(name, { ...set, metadata: { ...set.metadata, creationTimestamp } });
      } else if (kind === 'delete') {
        this.sets.delete(name);
      } else {
        const before = this.sets.get(name) ?? set;
        const more = 'annotations' in rest ? rest.annotations : scaleAnnotations(this.deployment);
        const annotations = { ...before.metadata.annotations, ...more };
        const replicas = 'replicas' in rest ? rest.replicas : before.spec.replicas;
        this.sets.set(name, {
          ...before,
          metadata: { ...before.metadata, annotations },
          spec: { ...before.spec, replicas },
        });
      }
    }
    const annotations = revision === undefined ? {} : { [revisionAnnotation]: `${revision}` };
    const status = deploymentStatus(this.deployment, this.found(), undefined, 0);
    this.deployment = { ...this.deployment, metadata: { ...this.deployment.metadata, annotations }, status };
    return actions.length > 0;
  }

  /** Pods of one set come up or go. Returns whether there was anything left to happen. */
  chance(pick: number): boolean {
    const behind = [...this.sets.values()].filter(({ spec, status }) =>
      [status?.replicas, status?.availableReplicas].some((count = 0) => count !== spec.replicas),
    );
    const set = behind[pick % Math.max(1, behind.length)];
    if (!set) return false;
    const up = set.status?.availableReplicas ?? 0;
    const availableReplicas = Math.min(up + 1, set.spec.replicas);
    const replicas = set.spec.replicas;
    const status = { replicas, readyReplicas: availableReplicas, availableReplicas, observedGeneration: 1 };
    this.sets.set(set.metadata.name ?? '', { ...set, status });
    return true;
  }

  found(): Generations {
    return generations(this.deployment, [...this.sets.values()]);
  }
}

test('any story of edits: once people stop changing it, the Deployment arrives', () => {
  const edit = fc.record(
    {
      replicas: fc.nat(12),
      template: fc.constantFrom('image:1', 'image:2', 'image:3').map((image) => aTemplate(image)),
      strategy: fc.constantFrom(
        { type: 'Recreate' as const },
        { type: 'RollingUpdate' as const, rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        { type: 'RollingUpdate' as const, rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
        { type: 'RollingUpdate' as const, rollingUpdate: { maxSurge: 3, maxUnavailable: 0 } },
      ),
      paused: fc.boolean(),
      revisionHistoryLimit: fc.nat(2),
    },
    { requiredKeys: [] },
  );
  const story = fc.array(fc.tuple(edit, fc.array(fc.nat(50), { maxLength: 6 })), { maxLength: 8 });
  fc.assert(
    fc.property(story, (edits) => {
      const world = new World();
      for (const [spec, picks] of edits) {
        world.edit(spec);
        for (const pick of picks) {
          world.look();
          world.chance(pick);
        }
      }
      world.edit({ paused: false });
      for (let round = 0; ; round++) {
        const acted = world.look();
        const moved = world.chance(round);
        if (!acted && !moved) break;
        if (round > 500) throw new Error('it does not come to rest');
      }
      world.look();
      expect(isComplete(world.deployment, world.deployment.status ?? {})).toBe(true);
      expect(world.found().current?.spec.replicas).toBe(world.deployment.spec.replicas);
    }),
    { numRuns: 200 },
  );
});
