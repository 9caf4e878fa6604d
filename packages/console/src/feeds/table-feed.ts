import type { Clock, KubeObject } from '@slipway/kube';
import type { Feed } from './feed.js';
import { gatherUntil } from './gather.js';
import type { Source } from './source.js';

/** A table that pages follow, made of the objects of some sources. */
export interface Table<Row> {
  readonly sources: readonly {
    readonly source: Source<never>;
    readonly rowsOf: (object: KubeObject) => readonly string[];
  }[];
  /** Keys of all rows. */
  readonly keys: () => readonly string[];
  /** The row with a key; undefined when there is none (any more). */
  readonly row: (key: string) => Row | undefined;
}

/** Part of a table: the objects of a source, and the keys of the rows that each is part of. */
export function part<T extends KubeObject>(source: Source<T>, rowsOf: (object: T) => readonly string[]) {
  return { source, rowsOf } as unknown as Table<unknown>['sources'][number];
}

/** Changes that come together are sent together, and no more often than this. */
const everyMs = 100;

/** Sends all rows of a table, then those that change. */
export function tableFeed<Row>({ sources, keys, row }: Table<Row>, clock: Clock): Feed {
  return (send, signal) => {
    const changed = new Set<string>();
    let isFirst = true;
    const flush = () => {
      if (!sources.every(({ source }) => source.isKnown)) return false;
      const rows = (isFirst ? keys() : [...changed]).map((key) => ({ key, row: row(key) }));
      const set = rows.flatMap((one) => (one.row === undefined ? [] : [one.row]));
      const gone = rows.flatMap((one) => (one.row === undefined ? [one.key] : []));
      send({ type: 'rows', set, gone, isWhole: isFirst });
      isFirst = false;
      changed.clear();
      return true;
    };
    const opened = sources.map(({ source }) => source);
    gatherUntil(signal, clock, everyMs, flush, (ask) => [
      followSources(opened, send, ask),
      ...sources.map(({ source, rowsOf }) =>
        source.informer.onChange(({ object, previous }) => {
          for (const one of previous ? [object, previous] : [object]) for (const key of rowsOf(one)) changed.add(key);
          ask();
        }),
      ),
    ]);
  };
}

/** Starts sources, sends what is wrong with the first that has a problem, and calls `known` when that may have changed. */
export function followSources(
  sources: readonly Pick<Source<never>, 'problem' | 'onProblem' | 'start'>[],
  send: Parameters<Feed>[0],
  known: () => void,
): { close(): void } {
  let told = false;
  const report = () => {
    const problem = sources.find((source) => source.problem)?.problem;
    if (problem || told) send({ type: 'problem', ...(problem && { problem }) });
    told = problem !== undefined;
    known();
  };
  const listening = sources.map((source) => source.onProblem(report));
  for (const source of sources) source.start();
  report();
  return {
    close() {
      for (const each of listening) each.close();
    },
  };
}
