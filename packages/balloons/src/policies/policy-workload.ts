import type { Kube, KubeObject, Lister, ResourceRef } from '@slipway/kube';
import type { BalloonPolicy } from '../api/balloon-policy.js';
import { balloonDaemonSet, DaemonSet } from '../pods/balloon-daemon-set.js';
import {
  type EffectiveMode,
  effectiveMode,
  nativeClass,
  PriorityClass,
  politeClass,
  priorityClassOf,
} from '../priority/priority-modes.js';
import { readPolicy } from '../settings/policy-settings.js';

/** Field manager of the objects of a policy. */
const fieldManager = 'slipway-balloons';

interface Provided {
  readonly generation: number | undefined;
  readonly mode: EffectiveMode;
  /** Generation of the DaemonSet, which changes with each change of its spec. */
  readonly applied: number | undefined;
}

/** The DaemonSet of each policy and the priority class of its pods. Calls the API server only when one of them changed. */
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
    const wanted = balloonDaemonSet(settings, this.#namespace, priorityClassOf(mode));
    const present = this.#daemonSets.get({ namespace: this.#namespace, name: wanted.metadata.name ?? '' });
    const { generation } = policy.metadata;
    if (known && present && known.generation === generation && known.applied === present.metadata.generation)
      return mode;
    if (mode === 'Polite') await this.#apply(PriorityClass, politeClass, signal);
    const applied = await this.#apply(DaemonSet, wanted, signal);
    this.#provided.set(settings.name, { generation, mode, applied: applied.metadata.generation });
    return mode;
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
