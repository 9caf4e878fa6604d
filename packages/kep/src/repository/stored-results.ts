import type { Finding } from '../check/finding.js';
import type { Edit } from '../metadata/edit.js';
import type { Look, LookKey } from './watched-disk.js';

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

/** A result, and what was looked at for it. */
export interface KnownResult {
  readonly looks: readonly LookKey[];
  readonly checked: CheckedKep;
}

/** A result in a file, which is read when it is asked for. `looks` are indexes of `StoredResults.looks`. */
export interface StoredResult {
  readonly looks: readonly number[];
  readonly checked: CheckedKep;
}

/** All results of a file. */
export interface StoredResults {
  readonly looks: readonly (readonly [LookKey, Look])[];
  readonly results: ReadonlyMap<string, StoredResult>;
}

/** Everything of a proposal in one list: strings that are shared are indexes of a table, in which 0 is undefined. */
type Row = (string | number)[];

interface File {
  readonly strings: readonly (string | null)[];
  readonly looks: readonly (string | number)[];
  readonly results: readonly (readonly [string, readonly number[], Row])[];
}

/** Writes results as one line of JSON, in a third of the size that their objects have. All of it is ASCII, which is read in half the time. */
export function writeResults(
  looks: ReadonlyMap<LookKey, Look>,
  results: Iterable<readonly [string, KnownResult]>,
): string {
  const table = new StringTable();
  const indexes = new Map([...looks.keys()].map((key, at) => [key, at]));
  const file: File = {
    results: [...results].map(([name, { looks: keys, checked }]) => [
      name,
      keys.map((key) => indexes.get(key) ?? 0),
      rowOf(checked, table),
    ]),
    looks: [...looks].flatMap(([key, { state, stamp }]) => [key, state, stamp ?? 0]),
    strings: table.strings,
  };
  return JSON.stringify(file).replace(/[\u0080-\uffff]/g, escaped);
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Reads what `writeResults` wrote. */
export function readResults(text: string): StoredResults {
  const file = JSON.parse(text) as File;
  const looks: [LookKey, Look][] = [];
  for (let at = 0; at < file.looks.length; at += 3) {
    const stamp = file.looks[at + 2];
    const look = { state: String(file.looks[at + 1]), stamp: typeof stamp === 'string' ? stamp : undefined };
    looks.push([String(file.looks[at]), look]);
  }
  const results = new Map<string, StoredResult>();
  for (const [name, keys, row] of file.results) {
    const result = {
      looks: keys,
      get checked() {
        return new RowReader(row, file.strings).checked();
      },
    };
    results.set(name, result);
  }
  return { looks, results };
}

class StringTable {
  readonly strings: (string | null)[] = [null];
  readonly #indexes = new Map<string | undefined, number>([[undefined, 0]]);

  index(text: string | undefined): number {
    const known = this.#indexes.get(text);
    if (known !== undefined) return known;
    const index = this.strings.push(text ?? null) - 1;
    this.#indexes.set(text, index);
    return index;
  }
}

function rowOf({ directory, findings, aim, approvalPath }: CheckedKep, table: StringTable): Row {
  const row: Row = [table.index(directory), table.index(aim), table.index(approvalPath), findings.length];
  for (const { span, message, fix, fingerprint, unsuppressible, baselined, ...finding } of findings) {
    for (const text of [finding.rule, finding.slug, finding.severity, finding.kep, finding.path, finding.file])
      row.push(table.index(text));
    row.push(span.start.line, span.start.column, span.end.line, span.end.column, message, fingerprint);
    row.push(table.index(finding.section), table.index(finding.waived), Number(unsuppressible), Number(baselined));
    row.push(table.index(fix?.safety));
    if (!fix) continue;
    row.push(table.index(fix.file), fix.edits.length);
    for (const { start, end, text } of fix.edits) row.push(start, end, text);
  }
  return row;
}

/** Reads a row in the order in which it was written. */
class RowReader {
  readonly #row: Row;
  readonly #strings: File['strings'];
  #at = 0;

  constructor(row: Row, strings: File['strings']) {
    this.#row = row;
    this.#strings = strings;
  }

  checked(): CheckedKep {
    const [directory, aim, approvalPath] = [this.#string(), this.#string(), this.#shared()];
    const findings = Array.from({ length: this.#number() }, () => this.#finding());
    return { directory, findings, aim, approvalPath };
  }

  #finding(): Finding {
    return {
      rule: this.#string(),
      slug: this.#string(),
      severity: this.#string() as Finding['severity'],
      kep: this.#string(),
      path: this.#string(),
      file: this.#string() as Finding['file'],
      span: {
        start: { line: this.#number(), column: this.#number() },
        end: { line: this.#number(), column: this.#number() },
      },
      message: this.#text(),
      fingerprint: this.#text(),
      section: this.#shared(),
      waived: this.#shared(),
      unsuppressible: this.#number() === 1,
      baselined: this.#number() === 1,
      fix: this.#fix(),
    };
  }

  #fix(): Finding['fix'] {
    const safety = this.#shared() as 'safe' | 'unsafe' | undefined;
    if (!safety) return undefined;
    const file = this.#shared() as Finding['file'] | undefined;
    const edits = Array.from({ length: this.#number() }, () => this.#edit());
    return { safety, edits, ...(file ? { file } : {}) };
  }

  #edit(): Edit {
    return { start: this.#number(), end: this.#number(), text: this.#text() };
  }

  #number(): number {
    return this.#row[this.#at++] as number;
  }

  #text(): string {
    return this.#row[this.#at++] as string;
  }

  #shared(): string | undefined {
    return this.#strings[this.#number()] ?? undefined;
  }

  #string(): string {
    return this.#shared() ?? '';
  }
}
