import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseDocument } from '../document/document.js';
import { fingerprint } from '../document/fingerprint.js';
import { ownGuidance } from './own-guidance.js';

const templates = fileURLToPath(new URL('../../templates/', import.meta.url));

test('ownGuidance has the instruction comments of our templates, and no other', () => {
  const prints = readdirSync(templates)
    .flatMap((file) => parseDocument(readFileSync(`${templates}${file}`, 'utf8')).comments)
    .filter(({ kind }) => kind === 'other')
    .map(({ body }) => fingerprint(body.replace(/\s+/g, ' ').toLowerCase()));
  expect([...ownGuidance].sort()).toEqual([...new Set(prints)].sort());
});
