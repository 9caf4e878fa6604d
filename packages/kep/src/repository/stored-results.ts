import { type KeptFindings, type ProposalFindings, readFindings } from '../check/kept-findings.js';
import type { Tally } from '../check/tally.js';
import type { Look, LookKey } from './watched-disk.js';

/** What a run found in one proposal. */
export interface CheckedKep extends ProposalFindings {
  /** How far the proposal is meant to be: `target beta, v1.37`. */
  readonly aim: string;
  /** Relative to the root; where its approval is, or would be. */
  readonly approvalPath: string | undefined;
}

/** A result that a later run may use. */
export interface KeptKep extends CheckedKep {
  readonly kept: KeptFindings;
}

/** A result, and what was looked at for it. */
export interface KnownResult {
  readonly looks: readonly LookKey[];
  readonly checked: KeptKep;
}

/** A result in a file. `looks` are indexes of `StoredResults.looks`. */
export interface StoredResult {
  readonly looks: readonly number[];
  readonly checked: KeptKep;
}

/** All results of a file. */
export interface StoredResults {
  readonly looks: readonly (readonly [LookKey, Look])[];
  readonly results: ReadonlyMap<string, StoredResult>;
}

/** The first line of a file; the findings of all results stand behind it in the order of `results`. */
interface Head {
  readonly looks: readonly (string | number)[];
  readonly results: readonly {
    readonly name: string;
    readonly looks: readonly number[];
    readonly directory: string;
    readonly aim: string;
    readonly approvalPath?: string | undefined;
    readonly tally: Tally;
    readonly jsonBytes: number;
    readonly restBytes: number;
  }[];
}

const lineFeed = 10;

/** Writes results, as the parts of a file. */
export function writeResults(
  looks: ReadonlyMap<LookKey, Look>,
  results: Iterable<readonly [string, KnownResult]>,
): readonly Uint8Array[] {
  const indexes = new Map([...looks.keys()].map((key, at) => [key, at]));
  const parts: Uint8Array[] = [];
  const head: Head = {
    looks: [...looks].flatMap(([key, { state, stamp }]) => [key, state, stamp ?? 0]),
    results: [...results].map(([name, { looks: keys, checked }]) => {
      const { directory, aim, approvalPath, kept } = checked;
      parts.push(kept.json, kept.rest);
      return {
        name,
        looks: keys.map((key) => indexes.get(key) ?? 0),
        directory,
        aim,
        approvalPath,
        tally: kept.tally,
        jsonBytes: kept.json.byteLength,
        restBytes: kept.rest.byteLength,
      };
    }),
  };
  return [new TextEncoder().encode(`${JSON.stringify(head)}\n`), ...parts];
}

/** Reads what `writeResults` wrote. Findings are parsed when they are asked for; the bytes must stay as they are. */
export function readResults(bytes: Uint8Array): StoredResults {
  let at = bytes.indexOf(lineFeed) + 1;
  const head: Head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, at)));
  const looks: [LookKey, Look][] = [];
  for (let each = 0; each < head.looks.length; each += 3) {
    const stamp = head.looks[each + 2];
    const look = { state: String(head.looks[each + 1]), stamp: typeof stamp === 'string' ? stamp : undefined };
    looks.push([String(head.looks[each]), look]);
  }
  const results = new Map<string, StoredResult>();
  for (const { name, looks: keys, directory, aim, approvalPath, tally, jsonBytes, restBytes } of head.results) {
    const rest = at + jsonBytes;
    const kept = { tally, json: bytes.subarray(at, rest), rest: bytes.subarray(rest, rest + restBytes) };
    at = rest + restBytes;
    const checked = {
      directory,
      aim,
      approvalPath,
      kept,
      get findings() {
        return readFindings(kept);
      },
    };
    results.set(name, { looks: keys, checked });
  }
  return { looks, results };
}
