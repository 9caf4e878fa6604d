import {
  InformerFactory,
  type Kube,
  type KubeObject,
  type Logger,
  type ResourceRef,
  type Runnable,
} from '@slipway/kube';
import { metadataTransport } from '../garbage-collection/metadata-transport.js';

/**
 * Tells when something changes that a quota may count. Resources are watched from
 * the moment a quota counts them, and of their objects only names are kept.
 */
export class CountedWatch implements Runnable {
  readonly name = 'resource-quota-watch';
  readonly #informers: InformerFactory;
  readonly #onChange: (namespace: string) => void;
  readonly #watched = new Set<string>();

  constructor({ kube, log }: { readonly kube: Kube; readonly log: Logger }, onChange: (namespace: string) => void) {
    this.#informers = new InformerFactory(kube.through(metadataTransport), { log });
    this.#onChange = onChange;
  }

  start(): void {}

  stop(): Promise<void> {
    return this.#informers.stop();
  }

  /** Watches a resource from now on. */
  follow(resource: ResourceRef): void {
    const key = `${resource.plural}.${resource.group}`;
    if (this.#watched.has(key)) return;
    this.#watched.add(key);
    const informer = this.#informers.informer(resource, { transform: nameOf });
    informer.onChange(({ object }) => this.#onChange(object.metadata.namespace ?? ''));
    informer.start();
  }
}

function nameOf({ apiVersion, kind, metadata: { name = '', namespace = '', resourceVersion = '' } }: KubeObject) {
  return { apiVersion, kind, metadata: { name, namespace, resourceVersion } };
}
