import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { needs } from '../../../../tools/real-parts.js';
import { commandTree } from '../command-line.js';
import { newCommand } from './command.js';
import { manPages } from './man-page.js';

test('manPages() describes each command of the tree once, and refers only to pages that exist', async () => {
  const pages = manPages(await commandTree(), '1.2.3');
  const names = pages.map(({ file }) => file.replace(/\.1$/, ''));
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(['slipway', 'slipway-feature', 'slipway-feature-on', 'slipway-up']));
  const serve = pages.find(({ file }) => file === 'slipway-pulls-serve.1');
  expect(serve?.text.replaceAll('\\-', '-')).toContain('--kubelet-config-dir <folder>');
  for (const { text } of pages) {
    for (const [, name = ''] of text.matchAll(/\\fB(slipway[a-z\\-]*)\\fR\(1\)/g)) {
      expect(names).toContain(name.replaceAll('\\-', '-'));
    }
  }
});

test('manPages() escapes what the formatter would obey', () => {
  const program = newCommand('slipway', '.so /etc/passwd', ["'quote \\ back", '.TH x', 'a   b']).option(
    '--a <b>',
    'd’e',
  );
  const [page] = manPages(program, '1');
  expect(page?.text).toContain("\\&'quote \\e back\n\\&.TH x\na   b\n");
  expect(page?.text).not.toMatch(/^\.so/m);
  expect(page?.text).toContain('d\\[u2019]e');
});

test('manPages() makes pages that groff formats without a warning', async (context) => {
  const groff = (text: string) => spawnSync('groff', ['-man', '-Tutf8', '-ww'], { input: text, encoding: 'utf8' });
  needs(context, 'groff');
  for (const { file, text } of manPages(await commandTree(), '1.2.3')) {
    const { stderr, stdout } = groff(text);
    expect(`${file}: ${stderr}`).toBe(`${file}: `);
    // Bold is printed twice, with a backspace between.
    expect(stdout.replaceAll(/.[\b]/g, '')).toContain('EXIT STATUS');
  }
});
