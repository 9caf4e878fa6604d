import { decide, type GateSettings, stepOf } from './gate-settings.js';
import type { Stage } from './specs.js';

/** One gate as it is at the effective version. */
export interface GateState {
  readonly name: string;
  readonly enabled: boolean;
  readonly default: boolean;
  readonly stage: Stage;
  /** A value was set explicitly, be it the default. */
  readonly set: boolean;
  readonly locked: boolean;
  /** Code of this process was told both values, so the process as a whole runs neither. */
  readonly mixed: boolean;
  /** It was requested. */
  readonly read: boolean;
  /** Why the value that its Feature publishes is not in effect. */
  readonly applyError: string | undefined;
  /** Another value is published, and takes effect with the next start. */
  readonly pendingRestart?: boolean;
  /** Flag that the gate comes with, which only the command line can set. */
  readonly config?: string;
  /** Takes the value its Feature publishes, unless one was typed. */
  readonly follows?: boolean;
}

/** What changed: values and what is said of them, or only that a gate was read for the first time. */
export type Changed = (what: 'values' | 'reads') => void;

interface Slot {
  value: boolean;
  /** Asked for since its value last changed or was looked at anew. */
  noted: boolean;
  read: boolean;
  mixed: boolean;
  applyError: string | undefined;
  pendingRestart?: boolean;
}

/** The values in effect, and which of them code of this process was told. */
export class GateValues {
  #settings: GateSettings;
  /** Published values that were accepted. */
  #published: ReadonlyMap<string, boolean> = new Map();
  #slots = new Map<string, Slot>();
  /** Read since `forgetQueries`. */
  #queried = new Set<string>();
  readonly #listeners = new Set<Changed>();

  constructor(settings: GateSettings) {
    this.#settings = settings;
    this.#settle();
  }

  get settings(): GateSettings {
    return this.#settings;
  }

  /** The value, for code that acts on it. Throws a RangeError for an unregistered gate. */
  ask(gate: string): boolean {
    const slot = this.#slots.get(gate);
    if (slot === undefined) throw unregistered(gate);
    if (!slot.noted) this.#note(gate, slot);
    return slot.value;
  }

  /** The value, for us. False for an unregistered gate. */
  valueOf(gate: string): boolean {
    return this.#slots.get(gate)?.value ?? false;
  }

  wasRead(gate: string): boolean {
    return this.#slots.get(gate)?.read ?? false;
  }

  /** Puts other settings into effect. Returns the gates that became inconsistent: code was told another value of them before. */
  adopt(settings: GateSettings): readonly string[] {
    this.#settings = settings;
    return this.#settle();
  }

  /** Makes a published value the one in effect, or, without one, ends its effect. Its handlers saw to what was told before. */
  publish(gate: string, value: boolean | undefined): void {
    if (this.#published.get(gate) === value) return;
    const others = [...this.#published].filter(([other]) => other !== gate);
    this.#published = new Map(value === undefined ? others : [...others, [gate, value]]);
    this.#settle(gate);
  }

  /** Remembers why a published value is not in effect. */
  noteApplyError(gate: string, message: string | undefined): void {
    const slot = this.#slots.get(gate);
    if (!slot || slot.applyError === message) return;
    slot.applyError = message;
    this.#tell('values');
  }

  /** Remembers whether a published value waits for the next start. */
  notePendingRestart(gate: string, pending: boolean): void {
    const slot = this.#slots.get(gate);
    if (!slot || (slot.pendingRestart ?? false) === pending) return;
    slot.pendingRestart = pending;
    this.#tell('values');
  }

  /** Values that were asked for since the last call. */
  forgetQueries(): ReadonlyMap<string, boolean> {
    const queried = new Map([...this.#queried].map((gate) => [gate, this.valueOf(gate)]));
    this.#queried = new Set();
    for (const slot of this.#slots.values()) slot.noted = false;
    return queried;
  }

  /** Every gate of the effective version, sorted by name. */
  states(): readonly GateState[] {
    const states: GateState[] = [];
    for (const [name, { value: enabled, mixed, read, applyError, pendingRestart }] of this.#slots) {
      const { stage, default: unset, locked } = stepOf(this.#settings, name);
      if (stage === 'PreAlpha') continue;
      const set = this.#settings.typed.has(name);
      const pending = pendingRestart && { pendingRestart };
      states.push({ name, enabled, default: unset, stage, set, locked, mixed, read, applyError, ...pending });
    }
    return states.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  subscribe(changed: Changed): { close(): void } {
    this.#listeners.add(changed);
    return { close: () => this.#listeners.delete(changed) };
  }

  /** Returns a function that puts everything back as it is now. Until then nothing counts as read before. */
  savepoint(): () => void {
    const [settings, published, queried, slots] = [this.#settings, this.#published, this.#queried, this.#slots];
    this.#queried = new Set();
    const unread = { noted: false, read: false, mixed: false };
    this.#slots = new Map([...slots].map(([gate, slot]) => [gate, { ...slot, ...unread }]));
    return () => {
      this.#settings = settings;
      this.#published = published;
      this.#queried = queried;
      this.#slots = slots;
      this.#tell('values');
    };
  }

  /** Brings the values up to date with what decides them. `handed` is the gate whose change code was prepared for. */
  #settle(handed?: string): string[] {
    const inconsistent: string[] = [];
    for (const gate of this.#settings.known.keys()) {
      const value = decide(this.#settings, gate, this.#published.get(gate));
      const slot = this.#slots.get(gate);
      if (!slot) {
        this.#slots.set(gate, { value, noted: false, read: false, mixed: false, applyError: undefined });
      } else if (slot.value !== value) {
        slot.value = value;
        slot.noted = false;
        if (!slot.read || slot.mixed || gate === handed) continue;
        slot.mixed = true;
        inconsistent.push(gate);
      }
    }
    this.#tell('values');
    return inconsistent;
  }

  #note(gate: string, slot: Slot): void {
    slot.noted = true;
    this.#queried.add(gate);
    if (slot.read) return;
    slot.read = true;
    this.#tell('reads');
  }

  #tell(what: 'values' | 'reads'): void {
    for (const changed of this.#listeners) changed(what);
  }
}

/** Reading an unregistered gate is a mistake in the program, as it is upstream. */
export function unregistered(gate: string): RangeError {
  return new RangeError(`feature ${JSON.stringify(gate)} is not registered in FeatureGate`);
}
