import { vectorName } from '@slipway/feature-gates';
import {
  type Informer,
  type InformerFactory,
  type InformerOptions,
  type Kube,
  keyOf,
  type Logger,
  type ObjectRef,
} from '@slipway/kube';
import { FeatureVector, type GateValue } from '../api/feature-vector.js';
import { Budget } from '../uses/budget.js';

export interface ReportedVectorsOptions {
  readonly kube: Kube;
  readonly informers: InformerFactory;
  readonly log: Logger;
  /** How many vectors of a namespace are kept with their values. */
  readonly limitOf: (namespace: string) => number;
}

/**
 * The vectors of the cluster, each with its values as long as its namespace has not too many: of the others only the
 * names are kept. When some are deleted, others are read in their place.
 */
export class ReportedVectors {
  /** For whoever watches vectors as well: the same cache serves all. */
  readonly options: InformerOptions;
  readonly #informer: Informer<FeatureVector>;
  readonly #budget: Budget;
  readonly #kube: Kube;
  readonly #log: Logger;
  /** Those that were read later. */
  readonly #readLater = new Map<string, FeatureVector>();
  readonly #gates = new Map<string, ReadonlyMap<string, GateValue>>();
  readonly #listeners = new Set<(ref: ObjectRef) => void>();

  constructor({ kube, informers, log, limitOf }: ReportedVectorsOptions) {
    this.#kube = kube;
    this.#log = log;
    this.#budget = new Budget(limitOf);
    const transform = (vector: FeatureVector) => this.#withinLimit(vector);
    this.options = { transform: transform as unknown as NonNullable<InformerOptions['transform']> };
    this.#informer = informers.informer(FeatureVector, { transform });
    this.#informer.onChange(({ type, object }) => {
      if (type === 'deleted') this.#forget(object);
      else this.#take(object);
      this.#changed(object);
    });
  }

  synced(): boolean {
    return this.#informer.synced();
  }

  /** Undefined also when its namespace has too many. */
  get(ref: ObjectRef): FeatureVector | undefined {
    const { namespace = '', name } = ref;
    if (this.#budget.excess(namespace).has(name)) return undefined;
    return this.#readLater.get(`${namespace}/${name}`) ?? this.#informer.lister.get(ref);
  }

  /** Names of all vectors, of a namespace or of all. */
  refs(namespace?: string): readonly ObjectRef[] {
    return this.#informer.lister
      .list({ ...(namespace !== undefined && { namespace }) })
      .map(({ metadata }) => ({ name: metadata.name ?? '', namespace: metadata.namespace }));
  }

  /** Values by the name of the gate; undefined also when the vector is not what its name says. */
  gatesOf(namespace: string, name: string): ReadonlyMap<string, GateValue> | undefined {
    return this.#gates.get(`${namespace}/${name}`);
  }

  /** How many are kept without their values, of each namespace that has too many. */
  overLimit(): ReadonlyMap<string, number> {
    return this.#budget.exceeding();
  }

  /** Calls back with every vector that has come, changed or gone. */
  onChange(listener: (ref: ObjectRef) => void): void {
    this.#listeners.add(listener);
  }

  #withinLimit(vector: FeatureVector): FeatureVector {
    const { namespace = '', name = '' } = vector.metadata;
    if (this.#budget.take(namespace, name)) return vector;
    const { apiVersion, kind, metadata, spec } = vector;
    const { uid, resourceVersion } = metadata;
    const slim = { name, namespace, uid, resourceVersion } as FeatureVector['metadata'];
    return { apiVersion, kind, metadata: slim, spec: { component: spec.component, binaryVersion: '', gates: [] } };
  }

  #take(vector: FeatureVector): void {
    const { namespace = '', name = '' } = vector.metadata;
    const excess = this.#budget.excess(namespace);
    if (excess.has(name)) {
      if (excess.size === 1) this.#log.warn('a namespace has more FeatureVectors than are read', { namespace });
    } else if (name === vectorName(vector.spec)) this.#gates.set(keyOf(vector), gatesOf(vector));
    else this.#log.warn('a vector is not what its name says and is ignored', { vector: keyOf(vector) });
  }

  #forget(vector: FeatureVector): void {
    const { namespace = '', name = '' } = vector.metadata;
    this.#gates.delete(keyOf(vector));
    this.#readLater.delete(keyOf(vector));
    for (const next of this.#budget.release(namespace, name)) {
      this.#budget.take(namespace, next);
      void this.#read({ namespace, name: next });
    }
  }

  async #read(ref: ObjectRef): Promise<void> {
    try {
      const vector = await this.#kube.resource(FeatureVector).find(ref);
      if (!vector || !this.#informer.lister.get(ref)) return;
      this.#readLater.set(keyOf(vector), vector);
      this.#take(vector);
      this.#changed(vector);
    } catch (error) {
      this.#log.warn('a vector could not be read', { vector: `${ref.namespace}/${ref.name}`, error });
    }
  }

  #changed({ metadata: { namespace, name = '' } }: FeatureVector): void {
    for (const listener of this.#listeners) listener({ namespace, name });
  }
}

function gatesOf({ spec }: FeatureVector): ReadonlyMap<string, GateValue> {
  return new Map(spec.gates.map((gate) => [gate.name, gate]));
}
