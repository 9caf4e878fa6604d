import { printableJson } from '@slipway/safe-yaml/printable';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Finding } from '../check/finding.js';
import { keepFindings } from '../check/kept-findings.js';
import { reportFormats, reportText } from './report.js';

const hostile = fc
  .array(fc.oneof(fc.string(), fc.constantFrom('\u001b[2J', '\u009d', '\u202e', '\ufffa', '\u{e0041}', '\r', '\n')))
  .map((parts) => parts.join(''));
const finding = fc.record({ path: hostile, message: hostile }).map(
  (texts): Finding => ({
    rule: 'KEP102',
    slug: 'question-missing',
    severity: 'error',
    kep: 'keps/sig-node/1-a',
    file: 'readme',
    span: { start: { line: 1, column: 1 }, end: { line: 1, column: 2 } },
    section: undefined,
    fix: undefined,
    unsuppressible: false,
    baselined: false,
    waived: undefined,
    fingerprint: 'f',
    ...texts,
  }),
);

test.each(reportFormats)('renderReport() as %s holds nothing of a proposal that a terminal acts on', (format) => {
  fc.assert(
    fc.property(fc.array(finding), (findings) => {
      const results = [{ directory: 'keps/sig-node/1-a', findings }];
      const result = { results, checked: 1, template: 'builtin:1.37', targets: new Map() };
      const report = reportText(result, format);
      expect(report).not.toMatch(/(?!\n)\p{Cc}|[\u202e\ufffa]|\u{e0041}/u);
      if (format === 'json') {
        const { results } = JSON.parse(report);
        expect(report).toBe(`${printableJson(JSON.stringify(JSON.parse(report), null, 2))}\n`);
        expect(results.map(({ path, message }: Finding) => ({ path, message }))).toEqual(
          findings.map(({ path, message }) => ({ path, message })),
        );
      }
    }),
  );
});

test.each(reportFormats)('renderReport() as %s is the same for findings that are kept', (format) => {
  fc.assert(
    fc.property(fc.array(fc.array(finding, { maxLength: 3 })), (all) => {
      const results = all.map((findings, at) => ({ directory: `keps/${at}`, findings }));
      const kept = results.map((result) => ({ ...result, kept: keepFindings(result.findings) }));
      const result = { checked: all.length, template: 'builtin:1.37', targets: new Map() };
      expect(reportText({ ...result, results: kept }, format)).toBe(reportText({ ...result, results }, format));
    }),
  );
});
