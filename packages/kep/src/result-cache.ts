import { keepFindings } from './check/kept-findings.js';
import { codeVersion } from './code-version.js';
import type { FoundKep } from './repository/find-keps.js';
import { readBytes, UnreadableError } from './repository/read-source.js';
import type { KepRepository } from './repository/repository.js';
import {
  type CheckedKep,
  type KnownResult,
  readResults,
  type StoredResult,
  type StoredResults,
  writeResults,
} from './repository/stored-results.js';
import { digest, digestOfParts, type Look, type LookKey, stampOfLook } from './repository/watched-disk.js';
import { replaceFile } from './repository/write-file.js';
import { ioError } from './rules/catalogue.js';

export type { CheckedKep } from './repository/stored-results.js';

const maxBytes = 256 * 1024 * 1024;
const lineFeed = 10;
const nothing: StoredResults = { looks: [], results: new Map() };

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
  readonly #stored: StoredResults;
  /** What was seen in this run of the stored looks, by their index, and of others. */
  readonly #seen: (Look | undefined)[] = [];
  readonly #looks = new Map<LookKey, Look>();
  readonly #results = new Map<string, StoredResult | KnownResult>();
  #indexes: ReadonlyMap<LookKey, number> | undefined;
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
    const known = this.#stored.results.get(name);
    if (known?.looks.every((index) => this.#holds(index))) {
      const { checked } = known;
      this.#results.set(name, known);
      this.#repository.remember(found, checked.approvalPath);
      return checked;
    }
    this.#checked++;
    const { result, looks } = this.#repository.disk.watch(check, this.#now());
    const isCertain = found.unreadable === undefined && !result.findings.some(({ rule }) => rule === ioError.id);
    if (!isCertain || ![...looks].every(([key, look]) => this.#agrees(key, look))) return result;
    const checked = { ...result, kept: keepFindings(result.findings) };
    this.#results.set(name, { looks: [...looks.keys()], checked });
    return checked;
  }

  /** Writes what was given out. Does nothing when that is nearly what the file says, or when it cannot be written. */
  save(): void {
    const known = this.#stored.results.size;
    const changed = Math.max(this.#checked, Math.abs(known - this.#results.size));
    if (known > 0 && changed <= maxUnwritten.proposals && this.#looked <= maxUnwritten.looks) return;
    const looks = new Map(this.#looks);
    for (const [index, [key]] of this.#stored.looks.entries()) {
      const look = this.#seen[index];
      if (look) looks.set(key, look);
    }
    const keyOf = (look: number | LookKey) => (typeof look === 'number' ? (this.#stored.looks[look]?.[0] ?? '') : look);
    const results = [...this.#results].map(([name, { looks: seen, checked }]) => {
      return [name, { looks: seen.map(keyOf), checked }] as const;
    });
    const body = writeResults(looks, results);
    try {
      replaceFile(this.#path, [`${this.#key} ${digestOfParts(body)}\n`, ...body]);
    } catch {
      // The next run takes as long as this one; that is all.
    }
  }

  /** Whether what a known result was looked at for is as it was. */
  #holds(index: number): boolean {
    const [key, stored] = this.#stored.looks[index] ?? [];
    if (key === undefined || !stored) return false;
    const seen = this.#seen[index] ?? (this.#looks.size > 0 ? this.#looks.get(key) : undefined);
    if (seen) return seen.state === stored.state;
    const look = this.#lookAt(key, stored);
    if (!look) return false;
    if (look.stamp !== stored.stamp) this.#looked++;
    this.#seen[index] = look;
    return look.state === stored.state;
  }

  #lookAt(key: LookKey, stored: Look): Look | undefined {
    const listed = this.#repository.listedLook(key);
    if (listed) return listed;
    const nowMs = this.#now();
    const stamp = stampOfLook(key, nowMs, this.#stamps);
    return stamp !== undefined && stamp === stored.stamp ? stored : this.#repository.disk.look(key, nowMs);
  }

  /** Whether two proposals that looked at the same thing in this run saw the same. */
  #agrees(key: LookKey, look: Look): boolean {
    this.#indexes ??= new Map(this.#stored.looks.map(([stored], index) => [stored, index]));
    const seen = this.#seen[this.#indexes.get(key) ?? -1] ?? this.#looks.get(key);
    if (!seen) this.#looks.set(key, look);
    return !seen || seen.state === look.state;
  }
}

function readStored(path: string, key: string): StoredResults {
  try {
    const bytes = readBytes(path, maxBytes) ?? new Uint8Array();
    const head = bytes.indexOf(lineFeed) + 1;
    const body = bytes.subarray(head);
    const isWhole = Buffer.from(`${key} ${digest(body)}\n`).equals(bytes.subarray(0, head));
    return isWhole ? readResults(body) : nothing;
  } catch (error) {
    if (error instanceof UnreadableError) return nothing;
    throw error;
  }
}
