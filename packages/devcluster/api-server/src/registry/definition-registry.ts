import type { ResourceDefinition } from './resource-definition.js';

/** What a registry tells its listeners: definitions that came, and those that went or were replaced. */
export interface DefinitionChange {
  readonly added: readonly ResourceDefinition[];
  readonly removed: readonly ResourceDefinition[];
}

/**
 * The resources an API server serves right now. Built-in ones are there from the
 * start; those of a CustomResourceDefinition come and go with it.
 *
 * Invariant: at most one definition per group, version and plural.
 */
export class DefinitionRegistry {
  readonly #byResource = new Map<string, ResourceDefinition>();
  readonly #byKind = new Map<string, ResourceDefinition>();
  readonly #listeners = new Set<(change: DefinitionChange) => void>();
  #generation = 0;

  constructor(definitions: Iterable<ResourceDefinition> = []) {
    for (const definition of definitions) this.#put(definition);
  }

  /** Rises with every change: caches of anything derived from the definitions compare it. */
  get generation(): number {
    return this.#generation;
  }

  find(group: string, version: string, plural: string): ResourceDefinition | undefined {
    return this.#byResource.get(`${group}/${version}/${plural}`);
  }

  ofKind(group: string, version: string, kind: string): ResourceDefinition | undefined {
    return this.#byKind.get(`${group}/${version}/${kind}`);
  }

  /** Every version of one resource. */
  versionsOf(group: string, plural: string): readonly ResourceDefinition[] {
    return this.all().filter((definition) => definition.group === group && definition.plural === plural);
  }

  all(): readonly ResourceDefinition[] {
    return [...this.#byResource.values()];
  }

  /** Whether any resource of the group (and version, when given) is served. */
  serves(group: string, version?: string): boolean {
    for (const definition of this.#byResource.values()) {
      if (definition.group === group && (version === undefined || definition.version === version)) return true;
    }
    return false;
  }

  /**
   * Makes these the versions of a resource, in place of those there were; none =
   * the resource is not served any more. Requests see the change at once, and
   * watches of what went are ended.
   */
  replace(group: string, plural: string, definitions: readonly ResourceDefinition[]): void {
    const removed = this.versionsOf(group, plural);
    for (const old of removed) this.#drop(old);
    for (const definition of definitions) this.#put(definition);
    this.#generation++;
    for (const listener of [...this.#listeners]) listener({ added: definitions, removed });
  }

  onChange(listener: (change: DefinitionChange) => void): { close(): void } {
    this.#listeners.add(listener);
    return { close: () => this.#listeners.delete(listener) };
  }

  #put(definition: ResourceDefinition): void {
    this.#byResource.set(`${definition.group}/${definition.version}/${definition.plural}`, definition);
    this.#byKind.set(`${definition.group}/${definition.version}/${definition.kind}`, definition);
  }

  #drop(definition: ResourceDefinition): void {
    this.#byResource.delete(`${definition.group}/${definition.version}/${definition.plural}`);
    this.#byKind.delete(`${definition.group}/${definition.version}/${definition.kind}`);
  }
}
