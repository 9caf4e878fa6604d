import type { KubeObject, ObjectRef } from '@slipway/kube';
import {
  type DeviceTaintRule,
  deviceTaintRules,
  type ResourceSlice,
  resourceSlices,
} from '@slipway/kube-objects/kinds/api/devices';
import { isFinished, isTerminating, type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { type ResourceClaim, resourceClaims } from '@slipway/kube-objects/kinds/api/resource-claims';
import { taintsDevice } from '@slipway/kube-objects/rules/device-taints';
import { isReservedFor, namedClaims, notOwnedBy } from '@slipway/kube-objects/rules/pod-resource-claims';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { type Eviction, evictionOf, newestOf } from './device-eviction.js';
import type { RuleCounts } from './rule-condition.js';

const byPool = 'device-pool';

/** Taints of devices, and the pods that have such devices. */
export class TaintedDevices {
  readonly #pods;
  readonly #claims;
  readonly #slices;
  readonly #rules;
  /** Pods that were evicted because of a rule, by its UID. */
  readonly #evicted = new Map<string, number>();

  constructor({ informers }: Pick<WorkloadDeps, 'informers'>, readsRules: boolean) {
    this.#pods = informers.informer(pods).lister;
    this.#claims = informers.informer(resourceClaims);
    this.#slices = informers.informer(resourceSlices);
    this.#rules = readsRules ? informers.informer(deviceTaintRules).lister : undefined;
    this.#claims.addIndex(byPool, poolsOfClaim);
    this.#slices.addIndex(byPool, poolsOfSlice);
  }

  rules(): readonly DeviceTaintRule[] {
    return this.#rules?.list() ?? [];
  }

  pod(ref: ObjectRef): Pod | undefined {
    return this.#pods.get(ref);
  }

  /** The pods that have a device of the pool of a slice. */
  usersOfPool(slice: KubeObject): readonly ObjectRef[] {
    return poolsOfSlice(slice as ResourceSlice).flatMap((pool) =>
      this.#claims.lister.byIndex(byPool, pool).flatMap(usersOf),
    );
  }

  /** The pods that have a device which a rule selects. */
  usersOfRule(rule: KubeObject): readonly ObjectRef[] {
    return this.#selectedClaims(rule as DeviceTaintRule).flatMap(usersOf);
  }

  /** When a pod has to go, by these rules. */
  evictionOf(pod: Pod, rules: readonly DeviceTaintRule[] = this.rules()): Eviction | undefined {
    if (!pod.spec.nodeName || isTerminating(pod) || isFinished(pod)) return undefined;
    const found = this.#claimsOf(pod).flatMap(
      (claim) =>
        evictionOf(claim, ({ driver, pool }) => this.#slices.lister.byIndex(byPool, `${driver}/${pool}`), rules) ?? [],
    );
    if (found.length === 0) return undefined;
    return {
      atMs: Math.min(...found.map(({ atMs }) => atMs)),
      rules: [...new Set(found.flatMap((eviction) => eviction.rules))],
    };
  }

  countEvicted(rule: DeviceTaintRule): void {
    const { uid = '' } = rule.metadata;
    this.#evicted.set(uid, (this.#evicted.get(uid) ?? 0) + 1);
  }

  /** Counts what a rule concerns; one without effect is taken for one that evicts. */
  counts(rule: DeviceTaintRule): RuleCounts {
    const { spec, metadata } = rule;
    const evicting = { ...rule, spec: { ...spec, taint: { ...spec.taint, effect: 'NoExecute' as const } } };
    const isWithoutEffect = spec.taint.effect === 'None';
    const concerned = this.usersOfRule(rule).flatMap((ref) => {
      const pod = this.#pods.get(ref);
      const eviction = pod && this.evictionOf(pod, [isWithoutEffect ? evicting : rule]);
      return eviction && eviction.rules.length > 0 ? [pod] : [];
    });
    const unique = new Set(concerned);
    return {
      pods: unique.size,
      namespaces: new Set([...unique].map((pod) => pod.metadata.namespace)).size,
      published: isWithoutEffect ? this.#published(rule) : 0,
      allocated: isWithoutEffect ? this.#allocated(rule) : 0,
      evicted: this.#evicted.get(metadata.uid ?? '') ?? 0,
    };
  }

  #claimsOf(pod: Pod): readonly ResourceClaim[] {
    return namedClaims(pod).flatMap(({ name, isOwn }) => {
      const claim = this.#claims.lister.get({ namespace: pod.metadata.namespace, name });
      return claim && isReservedFor(pod, claim) && !(isOwn && notOwnedBy(pod, claim)) ? [claim] : [];
    });
  }

  #selectedClaims(rule: DeviceTaintRule): readonly ResourceClaim[] {
    return this.#claims.lister
      .list()
      .filter((claim) => devicesOf(claim).some(({ driver, pool, device }) => taintsDevice(rule, driver, pool, device)));
  }

  #published(rule: DeviceTaintRule): number {
    const all = this.#slices.lister.list();
    const pools = new Set(all.flatMap(poolsOfSlice));
    const newest = [...pools].flatMap((pool) => newestOf(this.#slices.lister.byIndex(byPool, pool)));
    return newest.reduce((sum, { spec: { driver, pool, devices = [] } }) => {
      return sum + devices.filter(({ name }) => taintsDevice(rule, driver, pool.name, name)).length;
    }, 0);
  }

  #allocated(rule: DeviceTaintRule): number {
    const all = this.#claims.lister.list().flatMap(devicesOf);
    return all.filter(({ driver, pool, device }) => taintsDevice(rule, driver, pool, device)).length;
  }
}

function devicesOf({ status }: ResourceClaim) {
  return status?.allocation?.devices?.results ?? [];
}

/** The pods that a claim is reserved for. */
export function usersOf({ metadata: { namespace }, status }: ResourceClaim): readonly ObjectRef[] {
  return (status?.reservedFor ?? []).map(({ name }) => ({ name, namespace }));
}

function poolsOfClaim(claim: ResourceClaim): readonly string[] {
  return devicesOf(claim).map(({ driver, pool }) => `${driver}/${pool}`);
}

function poolsOfSlice({ spec }: ResourceSlice): readonly string[] {
  return [`${spec.driver}/${spec.pool.name}`];
}
