import type { ReportedGate } from '@slipway/feature-gates';

/** What the metrics page of a Kubernetes component says about its gates and about itself. */
export interface ComponentPage {
  /** In the order of the page. Which of them a person set is not said there. */
  readonly gates: readonly ReportedGate[];
  /** `v1.34.2` or `v1.34.2+k3s1`; undefined where the page does not say. */
  readonly binaryVersion?: string | undefined;
  /** When the process began, in seconds since the epoch: another number is another process. */
  readonly startSeconds?: number | undefined;
  /** Version whose features it shows, and the oldest it is compatible with, as `1.33`. */
  readonly emulation?: string | undefined;
  readonly minCompatibility?: string | undefined;
}

/** No gates beyond these are kept, whatever a page says: as many as a vector may have. */
const mostGates = 4_096;
/** A line longer than this is none that a component writes. */
const longestLine = 16_384;

const newline = 0x0a;
const gateName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/** Names of stages as the metric `kubernetes_feature_enabled` spells them. */
const stages: Readonly<Record<string, string>> = { ALPHA: 'Alpha', BETA: 'Beta', DEPRECATED: 'Deprecated', '': 'GA' };

type Labels = Readonly<Record<string, string>>;

/**
 * Reads four families of metrics out of a page in the Prometheus text format as it
 * comes in, and looks at nothing else of it: such a page may have megabytes. The
 * samples of a family stand together, so a page need not be read beyond the last of the four.
 */
export class ComponentPageReader {
  readonly #gates = new Map<string, ReportedGate>();
  #built: string | undefined;
  #binary: string | undefined;
  #startSeconds: number | undefined;
  #emulation: string | undefined;
  #minCompatibility: string | undefined;
  /** What is left of a line, with the end of the line before it. */
  #rest: Buffer = Buffer.from('\n');

  readonly #families = [
    new Family('\nkubernetes_feature_enabled{', (labels, value) => this.#gate(labels, value)),
    new Family('\nkubernetes_build_info{', (labels) => {
      this.#built = labels.git_version || labels.gitVersion || undefined;
    }),
    new Family('\nprocess_start_time_seconds ', (_, value) => {
      if (Number.isFinite(value) && value > 0) this.#startSeconds = value;
    }),
    new Family('\nversion_info{', (labels) => {
      this.#binary = labels.binary || undefined;
      this.#emulation = labels.emulation || undefined;
      this.#minCompatibility = labels.min_compat || undefined;
    }),
  ];

  /** Takes the next bytes. Returns whether everything has been seen, so that no more need be read. */
  push(chunk: Uint8Array): boolean {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const end = bytes.lastIndexOf(newline);
    const lines = bytes.subarray(0, end + 1);
    for (const family of this.#families) family.read(lines);
    const rest = bytes.subarray(end);
    // Of a line without an end only its being there is kept.
    this.#rest = rest.length > longestLine ? Buffer.from('\n#') : Buffer.from(rest);
    return this.#families.every(({ isOver }) => isOver);
  }

  /** What was read so far; a last line without an end counts. */
  page(): ComponentPage {
    this.push(Buffer.from('\n'));
    return {
      gates: [...this.#gates.values()],
      binaryVersion: this.#built ?? this.#binary,
      startSeconds: this.#startSeconds,
      emulation: this.#emulation,
      minCompatibility: this.#minCompatibility,
    };
  }

  #gate({ name = '', stage = '' }: Labels, value: number): void {
    const known = stages[stage];
    if (!gateName.test(name) || known === undefined || (value !== 0 && value !== 1)) return;
    if (this.#gates.size < mostGates) this.#gates.set(name, { name, enabled: value === 1, stage: known });
  }
}

/** Reads a page that is there as a whole. */
export function readComponentPage(text: string | Uint8Array): ComponentPage {
  const reader = new ComponentPageReader();
  reader.push(typeof text === 'string' ? Buffer.from(text) : text);
  return reader.page();
}

/** The samples of one family, wherever they stand. */
class Family {
  readonly #start: Buffer;
  readonly #sample: (labels: Labels, value: number) => void;
  #isSeen = false;
  isOver = false;

  /** `start` is the end of the line before, and what each sample begins with. */
  constructor(start: string, sample: (labels: Labels, value: number) => void) {
    this.#start = Buffer.from(start);
    this.#sample = sample;
  }

  /** Reads whole lines, with the end of the line before them. */
  read(lines: Buffer): void {
    if (this.isOver) return;
    let last = 0;
    for (let at = lines.indexOf(this.#start); at >= 0; at = lines.indexOf(this.#start, last)) {
      last = lines.indexOf(newline, at + 1);
      this.#isSeen = true;
      this.#line(lines.toString('utf8', at + 1, last));
    }
    this.isOver = this.#isSeen && last < lines.length - 1;
  }

  #line(line: string): void {
    if (line.length > longestLine) return;
    const parsed = parseSample(line);
    if (parsed) this.#sample(parsed.labels, parsed.value);
  }
}

/** `name{label="text",...} value`, perhaps with a time behind it. Undefined when it is something else. */
function parseSample(line: string): { readonly labels: Labels; readonly value: number } | undefined {
  const [, inside, rest = ''] = /^[a-z_]+(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})?\s+(\S+)/.exec(line) ?? [];
  const value = Number(rest);
  if (rest === '' || Number.isNaN(value)) return undefined;
  const labels = [...(inside ?? '').matchAll(/([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g)];
  return { labels: Object.fromEntries(labels.map(([, name = '', text = '']) => [name, unescaped(text)])), value };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}
