import type { Finding } from './check/finding.js';
import { codeVersion } from './code-version.js';
import type { FoundKep } from './repository/find-keps.js';
import { readPassingly } from './repository/read-source.js';
import { type KepRepository, numberState } from './repository/repository.js';
import { digest, type Look, type LookKey, stampOfLook } from './repository/watched-disk.js';
import { writeWhole } from './repository/write-file.js';
import { ioError } from './rules/catalogue.js';

/** What a run keeps of one proposal. */
export interface CheckedKep {
  /** Of the proposal, relative to the root. */
  readonly directory: string;
  readonly findings: readonly Finding[];
  /** How far the proposal is meant to be: `target beta, v1.37`. */
  readonly aim: string;
  /** Relative to the root; where its approval is, or would be. */
  readonly approvalPath: string | undefined;
}

interface Stored {
  readonly looks: Readonly<Record<LookKey, Look>>;
  readonly results: Readonly<Record<string, { readonly looks: readonly LookKey[]; readonly checked: CheckedKep }>>;
}

const maxBytes = 256 * 1024 * 1024;
const nothing: Stored = { looks: {}, results: {} };

/** So many proposals, and files and folders, are looked at again in less time than it takes to write the results of a large repository. */
const maxUnwritten = { proposals: 3, looks: 100 };

/**
 * Results of an earlier run, each with all that it was looked at for. One is given out only while all of that is as it
 * was, under the same rules, configuration, template and groups; a file that is damaged or of others counts as none.
 */
export class ResultCache {
  readonly #repository: KepRepository;
  readonly #path: string;
  readonly #key: string;
  readonly #now: () => number;
  readonly #stored: Stored;
  readonly #looks = new Map<LookKey, Look>();
  readonly #results = new Map<string, Stored['results'][string]>();
  readonly #stamps = new Map<string, string | undefined>();
  /** Proposals whose stored result did not hold. */
  #checked = 0;
  /** Looks whose stored stamp did not hold. */
  #looked = 0;

  /**
   * @param context what results depend on besides the repository: the text of the baseline
   * @param now milliseconds since 1970, by the clock that dates the files
   */
  constructor(repository: KepRepository, path: string, context: string, now: () => number) {
    this.#repository = repository;
    this.#path = path;
    this.#now = now;
    this.#key = digest([codeVersion(), repository.identity, context].join('\n'));
    this.#stored = readStored(path, this.#key);
  }

  /** The result for a proposal: the known one while it holds, else what `check` says, which then is known. */
  result(found: FoundKep, check: () => CheckedKep): CheckedKep {
    const name = [
      found.kind ?? '',
      found.directory,
      found.isStray ? 'stray' : '',
      found.approvalOnly ? 'approval' : '',
    ].join(' ');
    const known = Object.hasOwn(this.#stored.results, name) ? this.#stored.results[name] : undefined;
    if (known?.looks.every((key) => this.#holds(key))) {
      this.#results.set(name, known);
      this.#repository.remember(found, known.checked.approvalPath);
      return known.checked;
    }
    this.#checked++;
    const { result, looks } = this.#repository.disk.watch(check, this.#now());
    const isCertain = found.unreadable === undefined && !result.findings.some(({ rule }) => rule === ioError.id);
    if (isCertain && [...looks].every(([key, look]) => this.#agrees(key, look)))
      this.#results.set(name, { looks: [...looks.keys()], checked: result });
    return result;
  }

  /** Writes what was given out. Does nothing when that is nearly what the file says, or when it cannot be written. */
  save(): void {
    const known = Object.keys(this.#stored.results).length;
    const changed = Math.max(this.#checked, Math.abs(known - this.#results.size));
    if (known > 0 && changed <= maxUnwritten.proposals && this.#looked <= maxUnwritten.looks) return;
    const looks = Object.fromEntries(this.#looks);
    const body = JSON.stringify({ looks, results: Object.fromEntries(this.#results) } satisfies Stored);
    try {
      writeWhole(this.#path, `${this.#key} ${digest(body)}\n${body}`);
    } catch {
      // The next run takes as long as this one; that is all.
    }
  }

  /** Whether what a known result was looked at for is as it was. */
  #holds(key: LookKey): boolean {
    const stored = this.#stored.looks[key];
    if (!stored) return false;
    const seen = this.#looks.get(key);
    if (seen) return seen.state === stored.state;
    const look = this.#lookAt(key, stored);
    if (!look) return false;
    if (look.stamp !== stored.stamp) this.#looked++;
    this.#looks.set(key, look);
    return look.state === stored.state;
  }

  #lookAt(key: LookKey, stored: Look): Look | undefined {
    const [, number, kind] = /^number (\S*)(?: (\S+))?$/.exec(key) ?? [];
    if (number !== undefined)
      return { state: numberState(this.#repository.sameNumber(number, kind)), stamp: undefined };
    const nowMs = this.#now();
    const stamp = stampOfLook(key, nowMs, this.#stamps);
    return stamp !== undefined && stamp === stored.stamp ? stored : this.#repository.disk.look(key, nowMs);
  }

  /** Whether two proposals that looked at the same thing in this run saw the same. */
  #agrees(key: LookKey, look: Look): boolean {
    const seen = this.#looks.get(key);
    if (!seen) this.#looks.set(key, look);
    return !seen || seen.state === look.state;
  }
}

function readStored(path: string, key: string): Stored {
  const text = readPassingly(path, maxBytes) ?? '';
  const head = text.indexOf('\n');
  const body = text.slice(head + 1);
  if (head < 0 || text.slice(0, head) !== `${key} ${digest(body)}`) return nothing;
  return JSON.parse(body) as Stored;
}
