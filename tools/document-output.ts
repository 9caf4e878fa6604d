/**
 * Words that differ between two runs, with what stands for them in a comparison. In a document `...` alone on a line stands for
 * any number of lines, and `...` in a line for any text. Runs of spaces count as one: columns are as wide as their content.
 */
const varyingWords: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uid>'],
  [/\b[0-9a-f]{32,64}\b/g, '<digest>'],
  [/(?<=127\.0\.0\.1:)\d+/g, '<port>'],
  [/(?<=\bpid )\d+/g, '<pid>'],
  // Names of pods of deployments, and of whatever has generateName.
  [/(?<=-)[0-9a-z]{6,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '<name>'],
  // Ages and durations: 5s, 2m13s, 886 ms. From 200m on it is a quantity of cpu.
  [/\b(?:1?\d{1,2}m|\d+(?:\.\d+)?(?:ms|[shd]))(?:\d+(?:ms|[smhd]))*\b/g, '<duration>'],
  [/\b\d+(?:,\d{3})*(?:\.\d+)? (?:ms|s|seconds)\b/g, '<duration>'],
];

/** The lines of an output with every varying word replaced. */
export function comparableLines(output: string): string[] {
  const text = varyingWords.reduce((so, [word, name]) => so.replace(word, name), output);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd().replace(/(?<=\S) +/g, ' '));
}

/** Whether a program printed what a document shows. */
export function showsOutput(printed: string, shown: string): boolean {
  return matches(comparableLines(printed), comparableLines(shown));
}

function matches(printed: readonly string[], shown: readonly string[]): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return printed.length === 0;
  if (first !== '...') {
    return printed[0] !== undefined && isLine(printed[0], first) && matches(printed.slice(1), rest);
  }
  return printed.some((_, index) => matches(printed.slice(index), rest)) || rest.length === 0;
}

function isLine(printed: string, shown: string): boolean {
  const [start = '', ...others] = shown.split('...');
  const end = others.pop();
  if (end === undefined) return printed === start;
  if (!printed.startsWith(start)) return false;
  let from = start.length;
  for (const each of others) {
    const at = printed.indexOf(each, from);
    if (at < 0) return false;
    from = at + each.length;
  }
  return printed.length - end.length >= from && printed.endsWith(end);
}
