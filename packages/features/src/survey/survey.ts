/** A gate as one process shows it. */
export interface SeenGate {
  readonly name: string;
  readonly enabled: boolean;
  readonly stage?: string | undefined;
  /** Whether it was set explicitly, where that is known. */
  readonly set?: boolean | undefined;
}

/** What could be seen of one process, or of several that show the same. */
export interface Sighting {
  readonly component: string;
  readonly gates: readonly SeenGate[];
}

/** What could be seen of one component. */
export interface SurveyedComponent {
  readonly component: string;
  readonly on: number;
  readonly off: number;
  /** How many of them have it set by a flag that is seen. */
  readonly set: number;
}

export interface SurveyedGate {
  readonly gate: string;
  readonly stage: string;
  readonly components: readonly SurveyedComponent[];
}

/** The gates of a cluster on which nothing of ours is installed, as far as the user may read. */
export interface Survey {
  readonly gates: readonly SurveyedGate[];
  /** What could not be seen and why, in sentences. Never empty: not even administrators see everything from afar. */
  readonly unseen: readonly string[];
}

/**
 * Puts together what was seen, by gate. Flags and pages may speak of the same process: where a
 * component's pages were read, its flags only say what was set.
 */
export function surveyOf(pages: readonly Sighting[], flags: readonly Sighting[], unseen: readonly string[]): Survey {
  const read = new Set(pages.map(({ component }) => component));
  const gates = new Map<string, { stage: string; components: Map<string, SurveyedComponent> }>();
  const note = (component: string, { name, enabled, stage }: SeenGate, counts: boolean, set: boolean) => {
    const known = gates.get(name) ?? { stage: '', components: new Map<string, SurveyedComponent>() };
    gates.set(name, { ...known, stage: known.stage || (stage ?? '') });
    const before = known.components.get(component) ?? { component, on: 0, off: 0, set: 0 };
    known.components.set(component, {
      component,
      on: before.on + (counts && enabled ? 1 : 0),
      off: before.off + (counts && !enabled ? 1 : 0),
      set: before.set + (set ? 1 : 0),
    });
  };
  for (const { component, gates: seen } of pages)
    for (const gate of seen) note(component, gate, true, gate.set === true);
  for (const { component, gates: seen } of flags)
    for (const gate of seen) note(component, gate, !read.has(component), true);
  const all = [...gates].map(([gate, { stage, components }]) => ({
    gate,
    stage,
    components: [...components.values()],
  }));
  return { gates: all.sort((a, b) => (a.gate < b.gate ? -1 : 1)), unseen };
}
