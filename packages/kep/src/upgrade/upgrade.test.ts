import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { needs } from '../../../../tools/real-parts.js';
import { defaultConfig } from '../check/config.js';
import { parseDocument } from '../document/document.js';
import { comparableLine, fingerprint } from '../document/fingerprint.js';
import { layoutOf } from '../repository/find-keps.js';
import { builtinTemplateText, KepRepository } from '../repository/repository.js';
import { guidanceComments } from '../template/guidance-comments.js';
import { knownScaffold } from '../template/known-scaffold.js';
import { readTemplate } from '../template/template.js';
import { UpgradeRefusedError, upgradeToTemplate } from './upgrade.js';

const builtin = readTemplate(builtinTemplateText(), 'builtin:2026.1');
const small = readTemplate(
  `# T
## Summary
<!--DIRECTIVE: required: true-->
<!-- say it -->
### Goals
<!--DIRECTIVE: required: true-->
## Questions
<!--DIRECTIVE: required: true-->
###### Why?
<!--DIRECTIVE: required: true,alias: "Why so?"-->
<!-- why -->
- [ ] a reason
###### How?
<!--DIRECTIVE: required: true,stage: beta-->
## Extra (Optional)
<!--DIRECTIVE: required: false-->
`,
  'small',
);

// what it is about | before | after
const cases: [string, string, string][] = [
  [
    'bold questions become headings',
    '# T\n\n## Summary\n\ns\n\n### Goals\n\ng\n\n## Questions\n\n* **Why?** Because.\n    - a\n      b\n* **How?**\n  ```\n  x\n  ```\n',
    '# T\n\n## Summary\n\ns\n\n### Goals\n\ng\n\n## Questions\n\n###### Why?\n\nBecause.\n- a\n  b\n\n###### How?\n\n```\nx\n```\n',
  ],
  [
    'old titles and levels follow, and so does the table',
    '# T\n<!-- toc -->\n<!-- /toc -->\n## Summary\ns\n#### Goals\ng\n## Questions\n##### Why so?\nw\n##### How?\nh\n',
    '# T\n<!-- toc -->\n- [Summary](#summary)\n  - [Goals](#goals)\n- [Questions](#questions)\n<!-- /toc -->\n## Summary\ns\n### Goals\ng\n## Questions\n###### Why?\nw\n###### How?\nh\n',
  ],
  [
    'what is missing comes with its text',
    '# T\n\n## Summary\n\ns\n\n### My own\n\nx\n',
    '# T\n\n## Summary\n\ns\n\n### Goals\n\n### My own\n\nx\n\n## Questions\n\n###### Why?\n\n<!-- why -->\n- [ ] a reason\n\n###### How?\n\n',
  ],
  [
    'what is not filled in gets the text of the template',
    '# T\r\n\r\n## Summary\r\n\r\n### Goals\r\n\r\ng\r\n\r\n## Questions\r\n\r\nq\r\n\r\n###### Why?\r\n\r\n- [ ] a reason\r\n\r\n###### How?\r\n\r\nh\r\n',
    '# T\r\n\r\n## Summary\r\n\r\n### Goals\r\n\r\ng\r\n\r\n## Questions\r\n\r\nq\r\n\r\n###### Why?\r\n\r\n<!-- why -->\r\n- [ ] a reason\r\n\r\n###### How?\r\n\r\nh\r\n',
  ],
  [
    'ticks are the author’s',
    '# T\n\n## Summary\n\ns\n\n### Goals\n\ng\n\n## Questions\n\n###### Why?\n\n- [x] a reason\n\n###### How?\n\nh\n',
    '# T\n\n## Summary\n\ns\n\n### Goals\n\ng\n\n## Questions\n\n###### Why?\n\n- [x] a reason\n\n###### How?\n\nh\n',
  ],
];

test.each(cases)('upgradeToTemplate(): %s', (_, before, after) => {
  expect(upgradeToTemplate(before, small, { guidance: true }).text).toBe(after);
  expect(upgradeToTemplate(after, small, { guidance: true })).toEqual({ changes: [], text: after });
});

test('upgradeToTemplate() leaves the instructions out when they are not wanted', () => {
  const { text, changes } = upgradeToTemplate('# T\n', builtin, { guidance: false });
  expect(text).not.toContain('<!--');
  expect(text).toContain('###### What are other known failure modes?\n');
  expect(changes.map(({ kind, title }) => `${kind} ${title}`)).toContain('insert Summary');
});

test.each([
  ['a comment that never ends', '# T\n<!-- x\n'],
  ['a code block that never ends', '# T\n```\nx\n'],
])('upgradeToTemplate() refuses %s', (_, text) => {
  expect(() => upgradeToTemplate(text, builtin, { guidance: true })).toThrow(UpgradeRefusedError);
});

/** The lines that no template wrote, without indentation and without the list marks of questions, as often as they are there. Sorted. */
function authorLines(text: string): string[] {
  const document = parseDocument(text);
  const toc = document.toc ? [{ start: document.toc.open.start, end: document.toc.close.end }] : [];
  const titles = document.sections.map(({ span }) => span);
  const directives = document.directives.map(({ start, end }) => ({ start, end }));
  const hidden = [...guidanceComments(document).map(({ comment }) => comment), ...toc, ...titles, ...directives];
  let shown = '';
  let at = 0;
  for (const { start, end } of hidden.sort((one, other) => one.start - other.start)) {
    if (start < at) continue;
    shown += `${text.slice(at, start)}\n`;
    at = end;
  }
  shown += text.slice(at);
  const ticked = new Set(
    document.checklist.filter(({ checked }) => checked).map(({ text: label }) => comparableLine(label)),
  );
  return shown
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter((line) => line !== '' && !/^[-*+]$/.test(line))
    .filter((line) => ticked.has(comparableLine(line)) || !knownScaffold.has(fingerprint(comparableLine(line))))
    .sort();
}

const inTemplate = new Set(
  builtin.document.text
    .split('\n')
    .map(comparableLine)
    .filter((line) => line !== ''),
);
const ownLines = (text: string) => authorLines(text).filter((line) => !inTemplate.has(comparableLine(line)));

test('upgradeToTemplate() loses no line of an author and adds none, and twice is once', () => {
  const words = fc.constantFrom('red', 'green `x`', '**blue**', 'No.', 'TBD', 'see [a](b)', '| a | b |');
  const prose = fc.array(fc.tuple(fc.constantFrom('', '- ', '  - ', '> ', '1. '), words), {
    minLength: 1,
    maxLength: 4,
  });
  const body = fc.oneof(
    { weight: 3, arbitrary: prose.map((lines) => lines.map(([mark, word], at) => `${mark}${word} ${at}`).join('\n')) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        '```yaml\n# no heading\n```',
        '<!-- mine -->',
        '- [x] ticked\n- [ ] open\n  - Label: value',
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '#### My own part\n\ntext of it',
        '- [ ] Feature gate (also fill in values in `kep.yaml`)',
      ),
    },
  );
  const styles = fc.constantFrom('as it is', 'level', 'bullet', 'guidance', 'left out', 'directive');
  const sections = fc.tuple(...builtin.sections.slice(1).map(() => fc.tuple(styles, body)));
  fc.assert(
    fc.property(sections, fc.constantFrom('\n', '\r\n'), fc.boolean(), fc.boolean(), (chosen, eol, guidance, toc) => {
      const parts = ['# KEP-1: x', ...(toc ? ['<!-- toc -->\n<!-- /toc -->'] : [])];
      chosen.forEach(([style, text], at) => {
        const wanted = builtin.sections[at + 1];
        if (!wanted || style === 'left out') return;
        const { level } = wanted.section;
        if (style === 'bullet' && level === 6) {
          parts.push(`* **${wanted.title}**${/^[#`]/.test(text) ? '\n  ' : ' '}${text.replaceAll('\n', '\n  ')}`);
          return;
        }
        const marks = '#'.repeat(style === 'level' && level > 2 ? level - 1 : level);
        const extra = style === 'guidance' ? '<!--\nTick exactly one and fill in its lines.\n-->\n' : '';
        parts.push(
          `${marks} ${wanted.title}${style === 'directive' ? '\n<!--DIRECTIVE: required: true-->' : ''}`,
          `${extra}${text}`,
        );
      });
      const before = parts.join('\n\n').replaceAll('\n', eol);
      const once = upgradeToTemplate(before, builtin, { guidance });
      expect(ownLines(once.text)).toEqual(ownLines(before));
      expect(upgradeToTemplate(once.text, builtin, { guidance })).toEqual({ changes: [], text: once.text });
    }),
    { numRuns: 150, seed: 11 },
  );
}, 60_000);

const corpus = process.env.SLIPWAY_KEP_CORPUS ?? '';
describe('on proposals of Kubernetes', () => {
  beforeEach((context) => needs(context, 'proposals of Kubernetes'));

  test('upgradeToTemplate() loses no line of an author, and twice is once', () => {
    const repository = new KepRepository(layoutOf(corpus) ?? { root: corpus, keps: corpus }, defaultConfig);
    const wrong: string[] = [];
    for (const found of repository.keps()) {
      const text = repository.load(found).readme?.text;
      if (text === undefined) continue;
      try {
        const once = upgradeToTemplate(text, builtin, { guidance: true });
        const lost = difference(ownLines(text), ownLines(once.text));
        const added = difference(ownLines(once.text), ownLines(text));
        if (lost.length + added.length > 0)
          wrong.push(`${found.directory}\n  lost ${lost.join('\n    ')}\n  added ${added.join('\n    ')}`);
        const twice = upgradeToTemplate(once.text, builtin, { guidance: true });
        if (twice.changes.length > 0) wrong.push(`${found.directory}: ${JSON.stringify(twice.changes[0])}`);
      } catch (error) {
        if (!(error instanceof UpgradeRefusedError)) throw error;
      }
    }
    expect(wrong).toEqual([]);
  }, 600_000);
});

function difference(some: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const each of others) left.set(each, (left.get(each) ?? 0) + 1);
  return some.filter((each) => {
    const count = left.get(each) ?? 0;
    left.set(each, count - 1);
    return count <= 0;
  });
}
