import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { archiveOf, membersOf, TarError, type TarMember } from './tar-format.js';

const aFile = (name: string, content = 'x'): TarMember => ({
  kind: 'file',
  name,
  mode: 0o640,
  modifiedAtMs: 1_000_000_000_000,
  content: Buffer.from(content),
});

test('what archiveOf() packs, membersOf() unpacks, whatever it is called and contains', () => {
  const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }).map((text) => text.replace(/[/\0]/g, '_'));
  const members = fc.record({
    kind: fc.constantFrom('file' as const, 'folder' as const),
    name: fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
    mode: fc.integer({ min: 0, max: 0o7777 }),
    modifiedAtMs: fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1000),
    content: fc.uint8Array({ maxLength: 1500 }).map((bytes) => Buffer.from(bytes)),
  });
  fc.assert(
    fc.property(fc.array(members, { maxLength: 5 }), (all) => {
      const wanted = all.map((each) => (each.kind === 'folder' ? { ...each, content: Buffer.alloc(0) } : each));
      expect([...membersOf(archiveOf(wanted))]).toEqual(wanted);
    }),
  );
});

test('other programs read what archiveOf() packs', () => {
  const names = ['short', `${'d'.repeat(90)}/${'f'.repeat(90)}`, `${'n'.repeat(150)}`, 'ü'];
  const archive = archiveOf(names.map((name) => aFile(name)));
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  const listed = execFileSync('tar', ['--quoting-style=literal', '-tf', '-'], { input: archive, env });
  expect(listed.toString()).toBe(`${names.join('\n')}\n`);
});

test.each(['ustar', 'pax', 'gnu'])('membersOf() reads what GNU tar packs as %s', (format) => {
  const names = ['package.json', 'src/exec'];
  const input = execFileSync('tar', [
    `--format=${format}`,
    '-C',
    'packages/devcluster/simulated-kubelet',
    '-cf',
    '-',
    ...names,
  ]);
  const members = [...membersOf(input)];
  expect(members.slice(0, 2).map(({ kind, name }) => [kind, name])).toEqual([
    ['file', 'package.json'],
    ['folder', 'src/exec'],
  ]);
  expect(JSON.parse(String(members[0]?.content))).toMatchObject({ name: '@slipway/simulated-kubelet' });
});

// what | the bytes
test.each([
  ['no archive', Buffer.alloc(1024, 'nonsense')],
  ['a content that breaks off', archiveOf([aFile('f', 'x'.repeat(2000))]).subarray(0, 1024)],
])('membersOf() refuses %s', (_, bytes) => {
  expect(() => [...membersOf(bytes)]).toThrow(TarError);
});

test('membersOf() ends with a TarError, if with any, whatever it is given', () => {
  const archive = archiveOf([aFile('ü', 'text'), aFile('n'.repeat(200))]);
  fc.assert(
    fc.property(fc.nat(archive.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
      const broken = Buffer.from(archive);
      broken[at] = byte;
      try {
        expect([...membersOf(broken)].length).toBeLessThanOrEqual(4);
      } catch (error) {
        expect(error).toBeInstanceOf(TarError);
      }
    }),
  );
});
