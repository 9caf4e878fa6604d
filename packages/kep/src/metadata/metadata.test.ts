import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readApproval } from './approval.js';
import { applyEdits, setField, setMilestone } from './edit.js';
import { minorOf, readKepYaml } from './kep-yaml.js';

const text = `title: Balloons
kep-number: 0127
# who
authors:
  - "@a" # lead
stage: alpha # now
latest-milestone: "v1.36"
milestone:
  alpha: "v1.36" # shipped
feature-gates:
  - name: NodeBalloons
    components:
      - kubelet
disable-supported: true
metrics: [a_b, c_d]
`;

test('readKepYaml() keeps values as typed, with their places', () => {
  const yaml = readKepYaml(text);
  expect(yaml.one('kep-number')?.value).toBe('0127');
  expect(yaml.many('metrics').map(({ value }) => value)).toEqual(['a_b', 'c_d']);
  expect(yaml.milestones.get('alpha')?.value).toBe('v1.36');
  expect(yaml.gates[0]?.name?.value).toBe('NodeBalloons');
  expect(yaml.gates[0]?.components.map(({ value }) => value)).toEqual(['kubelet']);
  expect(yaml.disableSupported?.value).toBe(true);
  const author = yaml.many('authors')[0];
  expect(yaml.lines.place(author?.start ?? 0)).toEqual({ line: 5, column: 5 });
});

test.each([
  ['v1.37', 37],
  ['1.20', 20],
  ['0.0', undefined],
  ['TBD', undefined],
])('minorOf(%s) is %s', (milestone, minor) => {
  expect(minorOf(milestone)).toBe(minor);
});

test('setField() and setMilestone() keep comments and order', () => {
  const yaml = readKepYaml(text);
  const edited = applyEdits(text, [
    setField(yaml, 'stage', 'beta'),
    setField(yaml, 'last-updated', '2026-11-20'),
    setMilestone(yaml, 'beta', 'v1.37'),
  ]);
  expect(edited).toBe(
    `${text.replace('stage: alpha #', 'stage: beta #').replace('# shipped\n', '# shipped\n  beta: "v1.37"\n')}last-updated: 2026-11-20\n`,
  );
});

test.each([
  ['milestone: {}\n', 'milestone: { beta: "v1.37" }\n'],
  ['milestone: { alpha: "v1.1" }\n', 'milestone: { alpha: "v1.1", beta: "v1.37" }\n'],
  ['milestone:\n  beta:\n', 'milestone:\n  beta: "v1.37"\n'],
  [
    'latest-milestone: "v1.1"\r\nstage: x\r\n',
    'latest-milestone: "v1.1"\r\nmilestone:\r\n  beta: "v1.37"\r\nstage: x\r\n',
  ],
  ['title: x', 'title: x\nmilestone:\n  beta: "v1.37"\n'],
])('setMilestone() in %j', (before, after) => {
  expect(applyEdits(before, [setMilestone(readKepYaml(before), 'beta', 'v1.37')])).toBe(after);
});

test('setField() of any readable text is read back, and all other lines stay', () => {
  const line = fc.constantFrom('a: 1', 'b: x # why', '# comment', 'c:\n  - 1 # one\n  - 2', '', 'stage: alpha # now');
  fc.assert(
    fc.property(fc.uniqueArray(line), fc.constantFrom('\n', '\r\n'), (parts, eol) => {
      const before = parts.join('\n').replaceAll('\n', eol);
      const after = applyEdits(before, [setField(readKepYaml(before), 'stage', 'beta')]);
      expect(readKepYaml(after).one('stage')?.value).toBe('beta');
      const rest = (all: string) => all.split(/\r?\n/).filter((each) => each !== '' && !each.startsWith('stage:'));
      expect(rest(after)).toEqual(rest(before));
    }),
  );
});

test('readApproval() tells stages with an approver from those without', () => {
  const approval = readApproval('kep-number: 12\nalpha:\n  approver: "@x"\nbeta:\nother: 1\n');
  expect(approval.number?.value).toBe('12');
  expect(approval.stages.get('alpha')?.value).toBe('@x');
  expect([...approval.stages.keys()]).toEqual(['alpha', 'beta']);
});

test('readKepYaml() reads what it can of a broken file', () => {
  expect(readKepYaml('title: x\ntitle: y\n').problems).toHaveLength(1);
  expect(readKepYaml('['.repeat(10_000)).problems[0]?.message).toMatch(/nested/);
  expect(readKepYaml('- a\n').root).toBeUndefined();
});
