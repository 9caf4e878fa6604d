import { type Kube, type KubeObject, StatusError } from '@slipway/kube';
import type { Dangling, DanglingSample } from '../api/dangling.js';
import type { Reference } from '../api/feature-definition.js';
import { objectName } from '../lifecycle/waived-uses.js';
import { readPage, resourceInReach } from './collection.js';
import { maxSamples } from './dangling-objects.js';
import { type FieldPath, fieldPathText, parseFieldPath, placesOf } from './field-path.js';
import { managersOf } from './managers.js';
import { fits } from './match.js';
import { fieldOf, type UsedField, usesOf } from './used-field.js';

export interface ScanOptions {
  readonly kube: Kube;
  readonly references: readonly Reference[];
  /** The only namespace whose objects are read; undefined for all. */
  readonly namespace: string | undefined;
  readonly pageSize: number;
  readonly nowMs: number;
  readonly signal: AbortSignal;
  /** Objects that a waiver lets be: they are uses, and counted apart as well. */
  readonly waived?: ReadonlySet<string>;
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Counts the objects that use a feature. Reads every referenced collection to its
 * end, one page in memory at a time; a collection whose list expired half-way is
 * counted, but the scan is not called complete. Writes nothing.
 */
export async function scanReferences(options: ScanOptions): Promise<Dangling> {
  const { kube, references, namespace, pageSize, nowMs, signal, waived = new Set<string>() } = options;
  const tally = new Tally(waived);
  const discovery = await kube.discover(signal);
  const each = async (
    wanted: { readonly group: string; readonly resource: string },
    look: (object: KubeObject, resource: string) => void,
  ) => {
    const resource = resourceInReach(discovery, wanted, namespace);
    const name = wanted.group === '' ? wanted.resource : `${wanted.resource}.${wanted.group}`;
    if (!resource) return tally.note(`the server has no ${name}${namespace === undefined ? '' : ' in namespaces'}`);
    let token: string | undefined;
    do {
      const page = await readPage(kube, resource, pageSize, token, signal, namespace).catch((error: unknown) => {
        // The definition of a custom resource may go between discovery and here: then its objects are gone too.
        if (error instanceof StatusError && error.code === 404) return undefined;
        throw error;
      });
      if (!page) return tally.note(`the server has no ${name}`);
      if (page.restarted) tally.isComplete = false;
      for (const object of page.items) look(object, name);
      token = page.continue;
    } while (token !== undefined);
  };

  for (const reference of references) {
    const field = fieldOf(reference);
    await each(reference, (object, resource) => {
      if (!fits(reference.match, object)) return;
      if (!field || usesOf(field, object).length > 0) tally.use(object, resource, field?.path);
      else if (wasApplied(object, field)) tally.copy(object, resource, field.path, 'LastApplied');
    });
    for (const derived of reference.derived ?? []) {
      const copyPath = parseFieldPath(derived.path);
      await each(derived, (object, resource) => {
        if (placesOf(copyPath, object).length > 0) tally.copy(object, resource, copyPath, 'Derived');
      });
    }
  }
  return tally.result(nowMs);
}

class Tally {
  readonly #samples: DanglingSample[] = [];
  readonly #notes: string[] = [];
  readonly #waived: ReadonlySet<string>;
  #uses = 0;
  #usesWaived = 0;
  #copies = 0;
  isComplete = true;

  constructor(waived: ReadonlySet<string>) {
    this.#waived = waived;
  }

  use(object: KubeObject, resource: string, path: FieldPath | undefined): void {
    this.#uses++;
    if (this.#waived.has(objectName(resource, object.metadata))) this.#usesWaived++;
    this.#sample(object, resource, path, 'Spec');
  }

  copy(object: KubeObject, resource: string, path: FieldPath, via: 'Derived' | 'LastApplied'): void {
    this.#copies++;
    this.#sample(object, resource, path, via);
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  result(nowMs: number): Dangling {
    return {
      count: this.#uses,
      complete: this.isComplete,
      scannedAt: new Date(nowMs).toISOString(),
      samples: this.#samples,
      ...(this.#usesWaived > 0 && { waived: this.#usesWaived }),
      ...(this.#copies > 0 && { copies: this.#copies }),
      ...(this.#notes.length > 0 && { note: this.#notes.join('; ').slice(0, 512) }),
    };
  }

  #sample(object: KubeObject, resource: string, path: FieldPath | undefined, via: DanglingSample['via']): void {
    if (this.#samples.length >= maxSamples) return;
    const { name = '', namespace } = object.metadata;
    this.#samples.push({
      resource,
      ...(namespace !== undefined && { namespace }),
      name,
      path: path ? fieldPathText(path) : '',
      managers: path ? managersOf(object, path) : [],
      via,
    });
  }
}

/** Whether the next client-side apply would bring the field back. */
function wasApplied(object: KubeObject, field: UsedField): boolean {
  const text = object.metadata.annotations?.[lastApplied];
  if (text === undefined) return false;
  try {
    return usesOf(field, JSON.parse(text)).length > 0;
  } catch {
    return false;
  }
}
