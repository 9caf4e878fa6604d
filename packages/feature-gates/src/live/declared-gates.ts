import { isAllowed } from './allow-list.js';
import type { ChangeHandler } from './hand-over.js';

/** When a gate may take the value its Feature publishes. */
export type Takes = 'Live' | 'AtStart';

/** What a program says of its gates: which take published values, and which come with configuration of their own. */
export class DeclaredGates {
  readonly #takes = new Map<string, { readonly when: Takes; readonly handlers: Set<ChangeHandler> }>();
  readonly #configs = new Map<string, string>();
  #followed: readonly string[] = [];

  /** @throws Error for a gate with configuration: its flags would be refused when the value changes. */
  declare(gate: string, when: Takes): void {
    const flag = this.#configs.get(gate);
    if (flag !== undefined) throw takesConfig(gate, flag);
    this.#takes.set(gate, { when, handlers: this.#takes.get(gate)?.handlers ?? new Set() });
  }

  /** @throws TypeError when there is no flag, Error for a gate that was declared to take published values. */
  registerConfig(gate: string, flag: string): void {
    if (typeof flag !== 'string' || flag === '') {
      throw new TypeError(`registerConfig(${JSON.stringify(gate)}, ...): the flag must be a non-empty string`);
    }
    if (this.#takes.has(gate)) throw takesConfig(gate, flag);
    this.#configs.set(gate, flag);
  }

  /** @throws Error for a gate that is not declared live. */
  onChange(gate: string, handler: ChangeHandler): { close(): void } {
    const declared = this.#takes.get(gate);
    if (declared?.when !== 'Live') {
      throw new Error(`feature ${JSON.stringify(gate)} is not declared live, so it never changes`);
    }
    declared.handlers.add(handler);
    return { close: () => declared.handlers.delete(handler) };
  }

  /** The gates that the operator's patterns let follow, from now on. */
  follow(patterns: readonly string[]): readonly string[] {
    this.#followed = [...this.#takes.keys()].filter((gate) => isAllowed(gate, patterns));
    return this.#followed;
  }

  isLive(gate: string): boolean {
    return this.#takes.get(gate)?.when === 'Live';
  }

  handlersOf(gate: string): readonly ChangeHandler[] {
    return [...(this.#takes.get(gate)?.handlers ?? [])];
  }

  /** What a report says of the gate besides its value. */
  describe(gate: string): { readonly config?: string; readonly follows?: true } {
    const config = this.#configs.get(gate);
    return { ...(config !== undefined && { config }), ...(this.#followed.includes(gate) && { follows: true }) };
  }
}

function takesConfig(gate: string, flag: string): Error {
  return new Error(`feature ${JSON.stringify(gate)} takes ${flag}, so only its own command line can set it`);
}
