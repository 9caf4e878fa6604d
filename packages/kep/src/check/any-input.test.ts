import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { parseDocument } from '../document/document.js';
import { gatherFacts } from '../facts/facts.js';
import { readKepYaml } from '../metadata/kep-yaml.js';
import { builtinTemplateText, KepRepository } from '../repository/repository.js';
import { allRules } from '../rules/catalogue.js';
import { readTemplate } from '../template/template.js';
import { aRepository } from '../testing/a-repository.js';
import { checkKep } from './check-kep.js';
import { defaultConfig } from './config.js';

const folder = mkdtempSync(join(tmpdir(), 'slipway-any-input-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const metadata = (number: number, related: string) => `title: Proposal ${number}
kep-number: "${number}"
authors: ["@one"]
owning-sig: sig-a
status: implementable
stage: alpha
see-also: [${related}]
reviewers: ["@one"]
approvers: ["@two"]
`;

/** Three proposals that refer to each other, to files, and to what is not there. */
function sample(root: string): void {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('OWNERS_ALIASES', 'aliases:\n  sig-a-leads: [one]\n  prod-readiness-approvers: [two]\n');
  write('keps/sig-a/OWNERS', 'approvers: [one]\n');
  for (const number of [1, 2, 3]) {
    const at = `keps/sig-a/${number}-proposal`;
    write(`${at}/README.md`, `# KEP-${number}: Proposal\n\n## Summary\n\nIt [links](../1-proposal/README.md).\n`);
    write(`${at}/kep.yaml`, metadata(number, `/keps/sig-a/1-proposal, /keps/sig-a/2-proposal/README.md, /keps/gone`));
    write(`${at}/OWNERS`, 'approvers: [one]\n');
    write(`${at}/evidence/alpha.yaml`, 'stage: alpha\n');
    write(`keps/prod-readiness/sig-a/${number}.yaml`, `kep-number: ${number}\nalpha:\n  approver: "@two"\n`);
  }
}

/** Ways in which a file or folder can be other than expected. */
const damages = {
  gone: (path: string) => rmSync(path, { recursive: true }),
  'a folder': (path: string) => {
    rmSync(path, { recursive: true });
    mkdirSync(path);
  },
  'a file': (path: string) => {
    rmSync(path, { recursive: true });
    writeFileSync(path, 'text\n');
  },
  'a link to itself': (path: string) => {
    rmSync(path, { recursive: true });
    symlinkSync(path, path);
  },
  'a link to a device': (path: string) => {
    rmSync(path, { recursive: true });
    symlinkSync('/dev/zero', path);
  },
  empty: (path: string) => {
    if (statSync(path).isFile()) writeFileSync(path, '');
  },
  'other bytes': (path: string) => {
    if (statSync(path).isFile()) writeFileSync(path, Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x00, 0x0a, 0x80]));
  },
  'bytes at its end': (path: string) => {
    if (statSync(path).isFile()) appendFileSync(path, Buffer.from([0xe9, 0x0a, 0x00]));
  },
  large: (path: string) => {
    if (statSync(path).isFile()) writeFileSync(path, Buffer.alloc(3 * 1024 * 1024, '# a\n'));
  },
  'not YAML': (path: string) => {
    if (statSync(path).isFile()) appendFileSync(path, '\n--- &a [*a, {: \n');
  },
} as const;

test('no damage to files or folders keeps the other proposals from being checked', () => {
  const intact = join(folder, 'intact');
  sample(intact);
  const paths = readdirSync(intact, { recursive: true, encoding: 'utf8' }).sort();
  const damage = fc.record({
    at: fc.nat(paths.length - 1),
    kind: fc.constantFrom(...(Object.keys(damages) as (keyof typeof damages)[])),
  });
  fc.assert(
    fc.property(fc.array(damage, { minLength: 1, maxLength: 3 }), (all) => {
      const root = mkdtempSync(join(folder, 'damaged-'));
      cpSync(intact, root, { recursive: true });
      const touched: string[] = [];
      for (const { at, kind } of all) {
        const path = paths[at] ?? '';
        if (!existsSync(join(root, path))) continue;
        damages[kind](join(root, path));
        touched.push(path);
      }
      const repository = new KepRepository({ root, keps: join(root, 'keps') }, defaultConfig);
      const checked = new Map(
        [...repository.keps(), ...repository.orphans()].map((found) => {
          const kep = repository.load(found);
          return [found.directory, repository.check(repository.facts(kep), kep)];
        }),
      );
      for (const number of [1, 2, 3]) {
        const directory = `keps/sig-a/${number}-proposal`;
        if (touched.some((path) => directory === path || directory.startsWith(`${path}/`))) continue;
        if (touched.some((path) => path.startsWith(directory))) continue;
        expect(checked.get(directory)?.map(({ rule }) => rule)).toContain('KEP101');
      }
    }),
    { numRuns: 20 },
  );
});

test('a rule that throws is a finding, and all others are held as before', () => {
  const facts = gatherFacts({
    document: parseDocument('# KEP-1: x\n\n## Summary\n'),
    source: undefined,
    yaml: readKepYaml(metadata(1, '')),
    approval: undefined,
    approvalPath: undefined,
    place: { directory: 'keps/sig-a/1-x', group: 'sig-a', number: '1' },
    template: readTemplate(builtinTemplateText(), 'builtin:2026.1'),
    repository: aRepository({}),
  });
  const at = { kep: 'k', readme: 'r', yaml: 'y', approval: 'a' };
  const whole = checkKep(facts, at, defaultConfig);
  const thrown = fc.oneof(fc.constantFrom(new Error('x'), 'text', undefined, null, 7), fc.anything());
  fc.assert(
    fc.property(fc.subarray([...allRules]), thrown, (failing, value) => {
      const rules = allRules.map((rule) =>
        failing.includes(rule)
          ? {
              ...rule,
              check() {
                throw value;
              },
            }
          : rule,
      );
      const found = checkKep(facts, at, defaultConfig, undefined, rules);
      const ids = new Set(failing.map(({ id }) => id));
      const others = (findings: typeof found) => findings.filter(({ rule }) => !ids.has(rule) && rule !== 'KEP390');
      expect(others(found)).toEqual(others(whole));
      const told = found.filter(({ rule }) => rule === 'KEP390').map(({ message }) => message.split(' ')[0]);
      for (const { id, severity, of } of failing)
        if (severity.gated !== 'off' && of !== 'declared') expect(told).toContain(id);
    }),
    { numRuns: 100 },
  );
});

test('a README without metadata is refused where upstream refuses it', () => {
  const root = mkdtempSync(join(folder, 'strays-'));
  sample(root);
  const at = (path: string) => join(root, 'keps', path);
  // Of a proposal, upstream looks into what it lists before kep.yaml.
  const refused = [
    'README-like/README.md',
    'sig-a/README.md',
    'sig-a/1-proposal/images/README.md',
    'sig-b/x/y/README.md',
  ];
  const accepted = ['README.md', 'sig-a/1-proposal/later/README.md', 'prod-readiness/README.md', 'sig-b/x/notes.md'];
  for (const path of [...refused, ...accepted]) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), '# Notes\n');
  }
  const repository = new KepRepository({ root, keps: join(root, 'keps') }, defaultConfig);
  const found = repository.orphans().flatMap((each) => {
    const kep = repository.load(each);
    return repository.check(repository.facts(kep), kep).map(({ rule, path }) => `${rule} ${path}`);
  });
  expect(found.sort()).toEqual(refused.map((path) => `KEP503 keps/${path}`).sort());
});
