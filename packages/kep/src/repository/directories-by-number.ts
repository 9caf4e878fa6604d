import { type FoundKep, type ListFolder, listForNumber } from './find-keps.js';

/** Where the proposals and documents of a checkout come from. */
export interface FoundKeps {
  /** Whether all were found already. */
  readonly isListed: () => boolean;
  readonly all: () => readonly FoundKep[];
  /** Those that are found where folders are listed in another way. */
  readonly listedBy: (list: ListFolder) => readonly FoundKep[];
}

/** The directories of proposals, and the paths of documents, by their number. */
export class DirectoriesByNumber {
  readonly #keps: FoundKeps;
  #first: { readonly number: number; readonly found: ReadonlyMap<string, readonly string[]> } | undefined;
  #all: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(keps: FoundKeps) {
    this.#keps = keps;
  }

  /** Those with a number, sorted. `kind` is undefined for proposals of Kubernetes. */
  with(number: string, kind: string | undefined): readonly string[] {
    return this.#holding(Number(number)).get(keyOf(number, kind)) ?? [];
  }

  /** At least those with a number: a check of one proposal asks for one, which needs no list of all. */
  #holding(number: number): ReadonlyMap<string, readonly string[]> {
    if (this.#all || this.#keps.isListed() || (this.#first && this.#first.number !== number)) {
      this.#all ??= byNumber(this.#keps.all());
      return this.#all;
    }
    this.#first ??= { number, found: byNumber(this.#keps.listedBy(listForNumber(number))) };
    return this.#first.found;
  }
}

function byNumber(all: readonly FoundKep[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { number, directory, kind } of all) {
    if (number === undefined) continue;
    const key = keyOf(number, kind);
    found.set(key, [...(found.get(key) ?? []), directory]);
  }
  return found;
}

function keyOf(number: string, kind: string | undefined): string {
  return kind === undefined ? String(Number(number)) : `${Number(number)} ${kind}`;
}
