import { type GateClock, withinTime } from './clock.js';
import { type FeatureUseSpec, featureUse, featureUsePatch, type Owner } from './feature-use.js';
import type { FeatureVectorSpec } from './feature-vector.js';
import { pathSegment } from './path-segment.js';
import { fieldOf, type GateRequest, type GateResponse, type GateTransport, RefusedError } from './transport.js';

const requestMs = 15_000;

/** Another process reports as the same instance now. */
export class TakenOverError extends Error {}

/** Writes the two kinds of objects a report consists of. Every call rejects when it did not succeed within 15 s. */
export class UseClient {
  readonly #transport: GateTransport;
  readonly #clock: GateClock;
  readonly #namespace: string;
  readonly #name: string;
  readonly #owner: Owner | undefined;
  /** Of the report as this process last wrote it. */
  #resourceVersion: string | undefined;
  #incarnation: string | undefined;

  constructor(transport: GateTransport, clock: GateClock, namespace: string, name: string, owner: Owner | undefined) {
    this.#transport = transport;
    this.#clock = clock;
    this.#namespace = namespace;
    this.#name = name;
    this.#owner = owner;
  }

  /** Creates the vector. Its name says what is in it, so one that exists is the same. */
  async ensureVector(name: string, spec: FeatureVectorSpec, signal: AbortSignal): Promise<void> {
    const body = {
      apiVersion: 'features.slipway.dev/v1alpha1',
      kind: 'FeatureVector',
      metadata: { name, namespace: this.#namespace },
      spec,
    };
    const answer = await this.#send({ method: 'POST', path: this.#path('featurevectors'), body }, requestMs, signal);
    if (answer.status !== 409) expectSuccess(`creating FeatureVector ${name}`, answer);
  }

  /**
   * Writes the report. Returns false when it was not there and had to be created anew. The first write takes over what an
   * earlier process of the same instance left.
   * @throws TakenOverError when a later process has done so with this one's
   */
  async writeUse(spec: FeatureUseSpec, signal: AbortSignal): Promise<boolean> {
    let patched = await this.#patch(spec, this.#resourceVersion, signal);
    if (patched.status === 409) {
      await this.#requireOwn(signal);
      patched = await this.#patch(spec, undefined, signal);
    }
    if (patched.status !== 404) {
      this.#wrote(expectSuccess(`renewing FeatureUse ${this.#name}`, patched), spec);
      return true;
    }
    const body = featureUse(this.#name, this.#namespace, this.#owner, spec);
    const created = await this.#send({ method: 'POST', path: this.#path('featureuses'), body }, requestMs, signal);
    this.#wrote(expectSuccess(`creating FeatureUse ${this.#name}`, created), spec);
    return false;
  }

  /** Deletes the report unless another writer, such as this process's successor, has written it since. */
  async deleteUse(limitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#resourceVersion === undefined) return;
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { resourceVersion: this.#resourceVersion },
    };
    const path = this.#path('featureuses', this.#name);
    const answer = await this.#send({ method: 'DELETE', path, body }, limitMs, signal);
    if (answer.status === 403) throw new RefusedError('deleting the report of this process', answer);
  }

  /** Requires that what was written since is still the report of this process. */
  async #requireOwn(signal: AbortSignal): Promise<void> {
    const path = this.#path('featureuses', this.#name);
    const answer = await this.#send({ method: 'GET', path }, requestMs, signal);
    const reported = answer.status === 200 ? fieldOf(answer.body, 'spec', 'incarnation') : undefined;
    if (this.#incarnation === undefined || reported === undefined || reported === this.#incarnation) return;
    this.#resourceVersion = undefined;
    throw new TakenOverError(`FeatureUse ${this.#name} is that of another process`);
  }

  #patch(spec: FeatureUseSpec, version: string | undefined, signal: AbortSignal): Promise<GateResponse> {
    const path = this.#path('featureuses', this.#name);
    const body = featureUsePatch(this.#owner, spec, version);
    const contentType = 'application/merge-patch+json';
    return this.#send({ method: 'PATCH', path, contentType, body }, requestMs, signal);
  }

  #wrote(answer: GateResponse, { incarnation }: FeatureUseSpec): void {
    this.#incarnation = incarnation;
    const version = fieldOf(answer.body, 'metadata', 'resourceVersion');
    this.#resourceVersion = typeof version === 'string' ? version : undefined;
  }

  #path(plural: string, name?: string): string {
    const collection = `/apis/features.slipway.dev/v1alpha1/namespaces/${pathSegment(this.#namespace)}/${plural}`;
    return name === undefined ? collection : `${collection}/${pathSegment(name)}`;
  }

  #send(request: GateRequest, limitMs: number, signal: AbortSignal): Promise<GateResponse> {
    return withinTime(this.#clock, limitMs, signal, (inner) => this.#transport.request({ ...request, signal: inner }));
  }
}

function expectSuccess(what: string, answer: GateResponse): GateResponse {
  if (answer.status < 200 || answer.status > 299) throw new RefusedError(what, answer);
  return answer;
}
