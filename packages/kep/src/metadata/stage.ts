/** How far a proposal of Kubernetes is meant to be: the stages of `kep.yaml`, and `draft` for what is not implementable yet. */
export type Stage = 'draft' | 'alpha' | 'beta' | 'stable' | 'deprecated' | 'disabled' | 'removed';

/** The values of `stage` in `kep.yaml`. */
export const stages = ['alpha', 'beta', 'stable', 'deprecated', 'disabled', 'removed'] as const;

/** Whether a word is a value of `stage` in `kep.yaml`. */
export function isStage(word: string): word is Exclude<Stage, 'draft'> {
  return (stages as readonly string[]).includes(word);
}

/** The stages of a kind of document. */
export interface StageLadder {
  /** Those from which on a template can ask for something, in order. */
  readonly names: readonly string[];
  /** How far a document at a stage is; stages with the same rank are asked for the same. */
  readonly ranks: ReadonlyMap<string, number>;
  /** Other names that a template may use, in lower case. */
  readonly also: ReadonlyMap<string, string>;
  /** The stage at which a document is asked only for what shows what it is about. */
  readonly draft: string | undefined;
}

/** The stages of proposals of Kubernetes. Those of removal count like alpha, beta and stable. */
export const kepLadder: StageLadder = {
  names: ['alpha', 'beta', 'stable'],
  ranks: new Map(
    Object.entries({ draft: 0, alpha: 1, beta: 2, stable: 3, deprecated: 1, disabled: 2, removed: 3 } satisfies Record<
      Stage,
      number
    >),
  ),
  also: new Map([['ga', 'stable']]),
  draft: 'draft',
};

/** Whether `stage` is at or past `from`. A stage that the ladder does not have reaches none. */
export function reaches(stage: string, from: string, { ranks }: StageLadder = kepLadder): boolean {
  return (ranks.get(stage) ?? -1) >= (ranks.get(from) ?? Number.POSITIVE_INFINITY);
}

/** The stage of a ladder that a template means, whatever its letter case; undefined for one that is not on it. */
export function stageNamed(text: string, { names, also }: StageLadder): string | undefined {
  const lower = text.toLowerCase();
  return also.get(lower) ?? names.find((name) => name.toLowerCase() === lower);
}
