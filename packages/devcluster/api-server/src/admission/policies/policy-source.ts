import type { KubeObject } from '@slipway/kube';
import type { BindingSpec, PolicySpec } from '@slipway/kube-objects/kinds/admission-policy';
import type { Store } from '@slipway/object-store/store';
import { mayMatch, type Surroundings, type Target } from '../matching/match-resources.js';
import { followObjects, type StoredObjects } from '../matching/stored-objects.js';
import { TargetIndex } from '../matching/target-index.js';

/** A policy that is bound to something. */
export interface BoundPolicy<Compiled> {
  readonly name: string;
  readonly spec: PolicySpec;
  readonly compiled: Compiled;
  readonly bindings: readonly { readonly name: string; readonly spec: BindingSpec }[];
}

export interface PolicySourceOptions<Compiled> {
  readonly store: Pick<Store, 'list' | 'watch'>;
  /** Where policies and bindings are stored, such as `validatingadmissionpolicies.admissionregistration.k8s.io`. */
  readonly policies: string;
  readonly bindings: string;
  readonly compile: (policy: KubeObject) => Compiled;
  readonly around: Surroundings;
}

/**
 * The policies of one kind that are in effect, from the moment they are stored. A
 * policy is compiled once for each of its generations, when the first request comes
 * that it may be about.
 */
export class PolicySource<Compiled> {
  readonly #compile: PolicySourceOptions<Compiled>['compile'];
  readonly #around: Surroundings;
  readonly #policies: StoredObjects;
  readonly #bindings: StoredObjects;
  readonly #index = new TargetIndex((target) => this.#bound(target));
  /** By UID. */
  #compiled = new Map<string, { readonly generation: number; readonly compiled: Compiled }>();

  constructor({ store, policies, bindings, compile, around }: PolicySourceOptions<Compiled>) {
    this.#compile = compile;
    this.#around = around;
    this.#policies = followObjects(store, policies, () => this.forget());
    this.#bindings = followObjects(store, bindings, () => this.forget());
  }

  /** The policies that requests of this kind may be about, by name. */
  about(target: Target): readonly BoundPolicy<Compiled>[] {
    return this.#bindings.isEmpty ? none : this.#index.get(target);
  }

  /** To be called when other resources are served than before. */
  forget(): void {
    this.#index.forget();
  }

  close(): void {
    this.#policies.close();
    this.#bindings.close();
  }

  #bound(target: Target): readonly BoundPolicy<Compiled>[] {
    this.#dropGone();
    return this.#policies.all().flatMap((policy) => {
      const { name = '' } = policy.metadata;
      const spec: PolicySpec = policy.spec;
      if (!spec.matchConstraints || !mayMatch(spec.matchConstraints, target, this.#around)) return [];
      const bindings = this.#bindings
        .all()
        .map(({ metadata, spec }) => ({ name: metadata.name ?? '', spec: spec as BindingSpec }))
        .filter((binding) => binding.spec.policyName === name);
      return bindings.length === 0 ? [] : [{ name, spec, compiled: this.#compiledOf(policy), bindings }];
    });
  }

  #compiledOf(policy: KubeObject): Compiled {
    const { uid = '', generation = 0 } = policy.metadata;
    const known = this.#compiled.get(uid);
    if (known?.generation === generation) return known.compiled;
    const compiled = this.#compile(policy);
    this.#compiled.set(uid, { generation, compiled });
    return compiled;
  }

  #dropGone(): void {
    const uids = new Set(this.#policies.all().map(({ metadata }) => metadata.uid));
    this.#compiled = new Map([...this.#compiled].filter(([uid]) => uids.has(uid)));
  }
}

const none: readonly never[] = [];
