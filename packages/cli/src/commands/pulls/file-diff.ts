const contextLines = 2;

/** Shows the changed lines of a file, with a few lines of context. Undefined means that the file does not exist. */
export function fileDiff(path: string, before: string | undefined, after: string | undefined): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const from = Math.max(0, start - contextLines);
  const lines = [
    ...now.slice(from, start).map((line) => `  ${line}`),
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...now.slice(start, now.length - end).map((line) => `+ ${line}`),
    ...now.slice(now.length - end, now.length - end + contextLines).map((line) => `  ${line}`),
  ];
  const kind = before === undefined ? ' (new)' : after === undefined ? ' (goes)' : '';
  return `${path}${kind}\n${lines.map((line) => `${line}\n`).join('')}`;
}

function linesOf(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
