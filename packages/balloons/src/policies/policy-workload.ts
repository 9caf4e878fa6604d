import type { Kube, KubeObject, Lister, ResourceRef } from '@slipway/kube';
import type { BalloonPolicy } from '../api/balloon-policy.js';
import { mayYield } from '../autosize/autosized-node.js';
import { balloonDaemonSet, DaemonSet, yieldingDaemonSet } from '../pods/balloon-daemon-set.js';
import { yieldingSetName } from '../pods/balloon-pod.js';
import {
  type EffectiveMode,
  effectiveMode,
  nativeClass,
  PriorityClass,
  politeClass,
  priorityClassOf,
  yieldingClass,
} from '../priority/priority-modes.js';
import { readPolicy } from '../settings/policy-settings.js';

/** Field manager of the objects of a policy. */
const fieldManager = 'slipway-balloons';

interface Provided {
  readonly generation: number | undefined;
  readonly mode: EffectiveMode;
  /** Generations of the DaemonSets by name, which change with each change of their specs. */
  readonly applied: ReadonlyMap<string, number | undefined>;
}

/** The DaemonSets of each policy and the priority classes of their pods. Calls the API server only when one of them changed. */
export class PolicyWorkload {
  readonly #kube: Kube;
  readonly #daemonSets: Lister;
  readonly #namespace: string;
  readonly #provided = new Map<string, Provided>();

  constructor(deps: { readonly kube: Kube; readonly daemonSets: Lister; readonly namespace: string }) {
    this.#kube = deps.kube;
    this.#daemonSets = deps.daemonSets;
    this.#namespace = deps.namespace;
  }

  /** Applies the objects of a policy and returns its priority mode. */
  async provide(policy: BalloonPolicy, signal: AbortSignal): Promise<EffectiveMode> {
    const settings = readPolicy(policy);
    const known = this.#provided.get(settings.name);
    const mode =
      known?.generation === policy.metadata.generation && known ? known.mode : await this.#mode(policy, signal);
    const yields = mayYield(policy);
    const sets = [
      balloonDaemonSet(settings, this.#namespace, priorityClassOf(mode)),
      ...(yields ? [yieldingDaemonSet(settings, this.#namespace)] : []),
    ];
    const { generation } = policy.metadata;
    const isApplied = sets.every((set) => known?.applied.get(set.metadata.name ?? '') === this.#present(set));
    if (known?.generation === generation && isApplied) return mode;
    if (mode === 'Polite') await this.#apply(PriorityClass, politeClass, signal);
    if (yields) await this.#apply(PriorityClass, yieldingClass, signal);
    else await this.#deleteYielding(settings.name, signal);
    const applied = new Map<string, number | undefined>();
    for (const set of sets) {
      applied.set(set.metadata.name ?? '', (await this.#apply(DaemonSet, set, signal)).metadata.generation);
    }
    this.#provided.set(settings.name, { generation, mode, applied });
    return mode;
  }

  /** Returns the generation of a DaemonSet as it is stored, 0 when it is missing. */
  #present({ metadata: { name = '' } }: KubeObject): number | undefined {
    const present = this.#daemonSets.get({ namespace: this.#namespace, name });
    return present ? present.metadata.generation : 0;
  }

  async #deleteYielding(policy: string, signal: AbortSignal): Promise<void> {
    const ref = { namespace: this.#namespace, name: yieldingSetName(policy) };
    if (this.#daemonSets.get(ref)) await this.#kube.resource(DaemonSet).delete(ref, { signal });
  }

  async #mode(policy: BalloonPolicy, signal: AbortSignal): Promise<EffectiveMode> {
    const native = await this.#kube.resource(PriorityClass).find({ name: nativeClass }, signal);
    return effectiveMode(policy.spec.priorityMode ?? 'Auto', native !== undefined);
  }

  #apply(resource: ResourceRef, object: KubeObject, signal: AbortSignal): Promise<KubeObject> {
    const { name = '', namespace } = object.metadata;
    const wanted = { ...object, metadata: { ...object.metadata, name, namespace } };
    return this.#kube.resource(resource).apply(wanted, { fieldManager, force: true, signal });
  }
}
