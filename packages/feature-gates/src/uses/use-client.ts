import { type GateClock, withinTime } from './clock.js';
import { type FeatureUseSpec, featureUse, featureUsePatch, type Owner } from './feature-use.js';
import type { FeatureVectorSpec } from './feature-vector.js';
import { pathSegment } from './path-segment.js';
import { fieldOf, type GateRequest, type GateResponse, type GateTransport, RefusedError } from './transport.js';

const requestMs = 15_000;

/** Writes the two kinds of objects a report consists of. Every call rejects when it did not succeed within 15 s. */
export class UseClient {
  readonly #transport: GateTransport;
  readonly #clock: GateClock;
  readonly #namespace: string;
  readonly #name: string;
  readonly #owner: Owner | undefined;
  /** Of the report as this process last wrote it. */
  #resourceVersion: string | undefined;

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

  /** Writes the report. Returns false when it was not there and had to be created anew. */
  async writeUse(spec: FeatureUseSpec, signal: AbortSignal): Promise<boolean> {
    const patched = await this.#patch(spec, signal);
    if (patched.status !== 404) {
      this.#wrote(expectSuccess(`renewing FeatureUse ${this.#name}`, patched));
      return true;
    }
    const body = featureUse(this.#name, this.#namespace, this.#owner, spec);
    const created = await this.#send({ method: 'POST', path: this.#path('featureuses'), body }, requestMs, signal);
    this.#wrote(expectSuccess(`creating FeatureUse ${this.#name}`, created));
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
    await this.#send({ method: 'DELETE', path: this.#path('featureuses', this.#name), body }, limitMs, signal);
  }

  #patch(spec: FeatureUseSpec, signal: AbortSignal): Promise<GateResponse> {
    const path = this.#path('featureuses', this.#name);
    const body = featureUsePatch(this.#owner, spec);
    const contentType = 'application/merge-patch+json';
    return this.#send({ method: 'PATCH', path, contentType, body }, requestMs, signal);
  }

  #wrote(answer: GateResponse): void {
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
