import fc from 'fast-check';
import { expect, test } from 'vitest';
import { patchText } from './patch-text.js';

test.each([
  ['a\nb\n', 'a\nb\n', ''],
  [undefined, 'a\n', '--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+a\n'],
  ['a\nb\nc\n', 'a\nx\nc\n', '--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n'],
  ['a', 'a\n', '--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n'],
])('patchText() from %j to %j', (before, after, patch) => {
  expect(patchText('f', before, after)).toBe(patch);
});

/** Does to a text what a patch says, checking that what is taken out was there. */
function applied(before: string, patch: string): string {
  const lines = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const result: string[] = [];
  let at = 0;
  for (const hunk of patch.split(/^(?=@@ )/m).slice(1)) {
    const [head = '', ...body] = hunk.match(/[^\n]*\n/g) ?? [];
    const [, start = '0', count = '0'] = /^@@ -(\d+),(\d+)/.exec(head) ?? [];
    const first = count === '0' ? Number(start) : Number(start) - 1;
    while (at < first) result.push(lines[at++] ?? '');
    for (const [nth, step] of body.entries()) {
      if (step.startsWith('\\')) continue;
      const line = body[nth + 1]?.startsWith('\\') ? step.slice(1, -1) : step.slice(1);
      if (step[0] !== '+') expect(lines[at++]).toBe(line);
      if (step[0] !== '-') result.push(line);
    }
  }
  return result.join('') + lines.slice(at).join('');
}

test('patchText() turns any text into any other', () => {
  const text = fc
    .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd\n'), { maxLength: 40 })
    .map((lines) => lines.join(''));
  const cut = (value: string, isCut: boolean) => (isCut ? value.replace(/\n$/, '') : value);
  fc.assert(
    fc.property(text, text, fc.boolean(), fc.boolean(), (one, other, first, second) => {
      const [before, after] = [cut(one, first), cut(other, second)];
      expect(applied(before, patchText('f', before, after))).toBe(after);
    }),
    { numRuns: 500 },
  );
});
