import type { Card, FoundKep, KepRepository, KnownResults } from '@slipway/kep';
import type { BoardKind, SiteKep } from '@slipway/kep/site';
import type { Clock } from '@slipway/kube';
import { type Problem, problemOf } from './problem.js';
import { Repeated } from './repeated.js';

/** A proposal on the board. */
export interface KepLine
  extends Omit<Card, 'group' | 'authors' | 'approvers'>,
    Pick<SiteKep, 'directory' | 'sig' | 'column' | 'isClosed' | 'demanded' | 'answered' | 'readiness'> {
  /** Name of its page. */
  readonly key: string;
  readonly people: readonly string[];
  /** Name of its board; `column` is the `id` of its column there. */
  readonly board: string;
  readonly errors: number;
}

/** Opens the checkout anew, so that each look sees its files as they are. */
export type OpenProposals = () => Promise<KepRepository>;

interface Summary {
  readonly board: BoardKind;
  readonly line: KepLine;
}

const everyMs = 2_000;
/** So long proposals are read at a stretch; then other requests are answered. */
const sliceMs = 10;

/** The proposals of a checkout, looked at again and again while a page wants to know. */
export class Proposals {
  readonly open: OpenProposals | undefined;
  readonly #clock: Clock;
  readonly #repeated: Repeated;
  #known: KnownResults<Summary> | undefined;
  #lines: readonly KepLine[] = [];
  #boards: readonly BoardKind[] = [];
  #root = '';
  #problem: Problem | undefined;
  #isKnown = false;

  /** @param open undefined where the console was not told of a checkout */
  constructor(open: OpenProposals | undefined, clock: Clock) {
    this.open = open;
    this.#clock = clock;
    this.#repeated = new Repeated(clock, everyMs, () => this.#look());
  }

  get lines(): readonly KepLine[] {
    return this.#lines;
  }

  /** The boards of the kinds of documents that there are. */
  get boards(): readonly BoardKind[] {
    return this.#boards;
  }

  /** Path of the checkout; empty until it was opened. */
  get root(): string {
    return this.#root;
  }

  /** Why the proposals cannot be read. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** Whether all proposals were read once. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Calls `listener` after each look that saw something new, until it is closed. */
  onChange(listener: () => void): { close(): void } {
    return this.#repeated.onChange(listener);
  }

  /** Resolves with whether there is something to tell. */
  async #look(): Promise<boolean> {
    const before = JSON.stringify([this.#isKnown, this.#problem]);
    const isNew = await this.#readAll().catch((error: unknown) => {
      this.#problem = problemOf(error);
      return false;
    });
    return isNew || before !== JSON.stringify([this.#isKnown, this.#problem]);
  }

  /** Resolves with whether anything is new. */
  async #readAll(): Promise<boolean> {
    const clock = this.#clock;
    const repository = await this.open?.();
    if (!repository) {
      this.#isKnown = true;
      return false;
    }
    const { summarize, uniquePages } = await kepReader();
    this.#known ??= new (await import('@slipway/kep')).KnownResults<Summary>();
    const found: Summary[] = [];
    let isAnyNew = false;
    let sliceBeganMs = clock.monotonicMs();
    for (const { result, isNew } of this.#known.all(repository, summarize(repository), clock.now())) {
      found.push(result);
      isAnyNew ||= isNew;
      if (clock.monotonicMs() - sliceBeganMs < sliceMs) continue;
      await new Promise((resolve) => setImmediate(resolve));
      if (!this.#repeated.isHeard) return false;
      sliceBeganMs = clock.monotonicMs();
    }
    const isOther = isAnyNew || found.length !== this.#lines.length;
    if (isOther) {
      this.#lines = uniquePages(found.map(({ line }) => line));
      this.#boards = [...new Map(found.map(({ board }) => [board.name, board])).values()];
    }
    this.#root = repository.layout.root;
    this.#problem = undefined;
    this.#isKnown = true;
    return isOther;
  }
}

/** Loads the code that reads proposals, which only their pages need. */
async function kepReader() {
  const { siteKep, withOwnPages } = await import('@slipway/kep/site');
  return {
    summarize: (repository: KepRepository) => (found: FoundKep) => {
      const kep = repository.load(found);
      const facts = repository.facts(kep);
      const { kind, sig, authors, approvers, findings, page, ...about } = siteKep(
        facts,
        repository.check(facts, kep),
        found.directory,
      );
      const { directory, number, title, status, stage, milestone, gates, column, isClosed, answered, demanded } = about;
      const line = {
        key: page,
        ...{ directory, number, title, sig, status, stage, milestone, gates, column, isClosed, answered, demanded },
        people: [...new Set([...authors, ...approvers])],
        board: kind.name,
        readiness: about.readiness,
        errors: findings.filter(({ severity }) => severity === 'error').length,
      };
      return { board: kind, line };
    },
    uniquePages: (lines: readonly KepLine[]) =>
      withOwnPages(lines.map((line) => ({ ...line, page: line.key }))).map(({ page, ...line }) => ({
        ...line,
        key: page,
      })),
  };
}
