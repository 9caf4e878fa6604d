/** One line of a comparison: kept, taken out or put in. */
type Step = readonly [mark: ' ' | '-' | '+', line: string];

const context = 3;
/** Above this many comparisons the changed stretch is shown as a whole. */
const maxComparisons = 4_000_000;

/**
 * Formats the change of a file as a patch for `git apply`: unified, with three lines around each change.
 * Empty when nothing changed. `before` undefined means a new file.
 */
export function patchText(path: string, before: string | undefined, after: string): string {
  if (before === after) return '';
  const steps = stepsBetween(linesOf(before ?? ''), linesOf(after));
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  return [`--- ${from}\n+++ b/${path}\n`, ...hunksOf(steps).map(hunkText)].join('');
}

/** Lines with their line ends; the last one of a file may have none. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function stepsBetween(before: readonly string[], after: readonly string[]): readonly Step[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const kept = (line: string): Step => [' ', line];
  return [
    ...before.slice(0, head).map(kept),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(kept),
  ];
}

/** The shortest way from one stretch to the other, by the longest lines that both have in order. */
function middle(before: readonly string[], after: readonly string[]): readonly Step[] {
  const width = after.length + 1;
  if (before.length * after.length > maxComparisons)
    return [...before.map((line): Step => ['-', line]), ...after.map((line): Step => ['+', line])];
  const common = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const steps: Step[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const [one, other] = [before[i], after[j]];
    if (one !== undefined && one === other) {
      steps.push([' ', one]);
      i++;
      j++;
    } else if (one !== undefined && (other === undefined || at(i + 1, j) >= at(i, j + 1))) {
      steps.push(['-', one]);
      i++;
    } else if (other !== undefined) {
      steps.push(['+', other]);
      j++;
    }
  }
  return steps;
}

interface Hunk {
  readonly steps: readonly Step[];
  /** First lines in the old and in the new file, from 1. */
  readonly oldStart: number;
  readonly newStart: number;
}

function hunksOf(steps: readonly Step[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  const changed = steps.flatMap(([mark], at) => (mark === ' ' ? [] : [at]));
  for (let at = 0; at < changed.length; ) {
    const first = Math.max(0, (changed[at] ?? 0) - context);
    let last = (changed[at] ?? 0) + context;
    while (at < changed.length && (changed[at] ?? 0) <= last + context + 1) last = (changed[at++] ?? 0) + context;
    const before = steps.slice(0, first);
    const lines = (skipped: '+' | '-') => before.filter(([mark]) => mark !== skipped).length + 1;
    hunks.push({ steps: steps.slice(first, last + 1), oldStart: lines('+'), newStart: lines('-') });
  }
  return hunks;
}

function hunkText({ steps, oldStart, newStart }: Hunk): string {
  const olds = steps.filter(([mark]) => mark !== '+').length;
  const news = steps.filter(([mark]) => mark !== '-').length;
  const range = (start: number, count: number) => `${count === 0 ? start - 1 : start},${count}`;
  const body = steps.map(
    ([mark, line]) => mark + (line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`),
  );
  return `@@ -${range(oldStart, olds)} +${range(newStart, news)} @@\n${body.join('')}`;
}
