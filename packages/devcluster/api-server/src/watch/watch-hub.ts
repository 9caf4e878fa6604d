import type { Clock } from '@slipway/kube';
import type { Store } from '@slipway/object-store/store';
import type { Conversion } from '../conversion/conversion.js';
import type { DefinitionRegistry } from '../registry/definition-registry.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { type GroupSpec, WatchGroup } from './watch-group.js';

const endAfterMs = 100;

/** The open watches of a server, grouped by what they want. */
export class WatchHub {
  readonly store: Store;
  readonly clock: Clock;
  readonly #conversion: Conversion;
  readonly #changes: { close(): void };
  #hasEnded = false;
  readonly #groups = new Map<ResourceDefinition, Map<string, WatchGroup>>();

  constructor(options: { store: Store; clock: Clock; definitions: DefinitionRegistry; conversion: Conversion }) {
    this.store = options.store;
    this.clock = options.clock;
    this.#conversion = options.conversion;
    // A watcher of a definition that changed must look again at what it is watching. It is given a
    // moment, in which it sees the objects of a definition that goes away go, too.
    this.#changes = options.definitions.onChange(({ removed }) => {
      if (removed.length === 0) return;
      this.clock.after(endAfterMs, () => {
        for (const definition of removed) this.#end(definition);
      });
    });
  }

  /** Whether the server stops: what is opened from then on ends at once. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The group of watchers with this key; `make` is asked only for the first of them. */
  group(definition: ResourceDefinition, key: string, make: () => GroupSpec): WatchGroup {
    let groups = this.#groups.get(definition);
    if (!groups) {
      groups = new Map();
      this.#groups.set(definition, groups);
    }
    let group = groups.get(key);
    if (!group) {
      group = new WatchGroup(this.store, this.#conversion, make());
      groups.set(key, group);
    }
    return group;
  }

  /** Removes a group without watchers. */
  release(definition: ResourceDefinition, key: string): void {
    const groups = this.#groups.get(definition);
    if (!groups?.get(key)?.isEmpty) return;
    groups.delete(key);
    if (groups.size === 0) this.#groups.delete(definition);
  }

  /** Ends every stream, with nothing left unsaid: the server stops. */
  endAll(): void {
    this.#hasEnded = true;
    this.#changes.close();
    for (const definition of [...this.#groups.keys()]) this.#end(definition);
  }

  #end(definition: ResourceDefinition): void {
    for (const group of [...(this.#groups.get(definition)?.values() ?? [])]) group.end();
  }
}
