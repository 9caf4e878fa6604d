import { expect, test } from 'vitest';
import { parseDocument } from '../document/document.js';
import { type Evidence, newestFor, readEvidence, writeEvidence } from '../evidence/evidence.js';
import { gatherFacts } from '../facts/facts.js';
import { readKepYaml } from '../metadata/kep-yaml.js';
import { readTemplate } from '../template/template.js';
import { aRepository } from '../testing/a-repository.js';
import { type Claim, claimsHash } from './claim.js';
import type { ClusterView, Seen } from './cluster-view.js';
import { gatesOnPage, readExposition } from './exposition.js';
import { claimsBlock, extractClaims } from './extract-claims.js';
import { judgeClaims } from './judge-claims.js';
import { parseMetricSelector } from './metric-selector.js';

// as it is written | family | labels
const selectors: [string, string | undefined, string][] = [
  ['a_b_total', 'a_b_total', ''],
  ['a_seconds_bucket', 'a_seconds', ''],
  ['a_b{code="200",verb=~"GET|PUT"}', 'a_b', 'code=200 verb~GET|PUT'],
  ['a_b[le, code=200]', 'a_b', 'le code=200'],
  ['kube-apiserver/a_b', 'kube_apiserver_a_b', ''],
  ['a_b - since v1.30', 'a_b', ''],
  ['"a_b"', 'a_b', ''],
  ['the number of bells', undefined, ''],
  ['a_b{=}', undefined, ''],
  ['', undefined, ''],
];

test.each(selectors)('parseMetricSelector(%j)', (text, family, labels) => {
  const read = parseMetricSelector(text);
  const shown = read?.labels.map(
    ({ name, value, isPattern }) => name + (value === undefined ? '' : (isPattern ? '~' : '=') + value),
  );
  expect([read?.family, shown?.join(' ') ?? '']).toEqual([family, labels]);
});

const template = readTemplate(
  '# T\n###### Will enabling / using this feature result in introducing new API types?\n<!--DIRECTIVE: required: true-->\n',
  't',
);
function factsOf(readme: string, yaml = '') {
  return gatherFacts({
    document: parseDocument(readme),
    source: undefined,
    yaml: readKepYaml(`status: implementable\nstage: beta\n${yaml}`),
    approval: undefined,
    approvalPath: undefined,
    place: undefined,
    template,
    repository: aRepository(),
  });
}

// what a README says | what is claimed
const texts: [string, string[]][] = [
  [
    '- [x] Feature gate\n  - Feature gate name: `LoudBells`\n  - Components depending on the feature gate: kubelet, API server\n',
    ['gate/LoudBells', 'gate/LoudBells/kubelet', 'gate/LoudBells/kube-apiserver'],
  ],
  ['- [ ] Feature gate\n  - Feature gate name: LoudBells\n', []],
  ['- [x] Feature gate\n  - Feature gate name: N/A\n', []],
  [
    '- [x] Metrics\n  - Metric name: `bells_rung_total`, bells_broken_total\n',
    ['metric/bells_rung_total', 'metric/bells_broken_total'],
  ],
  [
    '- [x] Events\n  - Event Reason: `BellRang`, when it rings\n- [x] API .status\n  - Condition name: BellReady\n  - Other field: `.status.loudness` and `pod.spec.bell`\n',
    ['event/BellRang', 'condition/BellReady', 'field/.status.loudness', 'field/.spec.bell'],
  ],
  [
    '###### Will enabling / using this feature result in introducing new API types?\n\nYes, `Bell` in `bells.dev/v1alpha1`.\n',
    ['api/Bell', 'api/bells.dev/v1alpha1'],
  ],
  ['###### Will enabling / using this feature result in introducing new API types?\n\nNo, `Pod` is enough.\n', []],
  [
    '```slipway-check\n- { kind: event, subject: BellRang }\n- { kind: gate-reported, subject: Loud, object: kubelet }\n```\n',
    ['event/BellRang', 'gate/Loud/kubelet'],
  ],
];

test.each(texts)('extractClaims() of %j', (text, ids) => {
  expect(extractClaims(factsOf(`# T\n${text}`)).claims.map(({ id }) => id)).toEqual([...ids]);
});

test('extractClaims() takes metadata and text together, and says what names nothing', () => {
  const facts = factsOf(
    '# T\n- [x] Feature gate\n  - Feature gate name: LoudBells\n- [x] Events\n  - Event Reason: when it rings\n```slipway-check\n- no\n- [\n```\n',
    'feature-gates:\n  - name: LoudBells\n    components:\n      - kubelet\ndisable-supported: true\nmetrics:\n  - a_b{c="d"}\n  - how loud it is\n',
  );
  const { claims, unread } = extractClaims(facts);
  const gate = claims.find(({ id }) => id === 'gate/LoudBells');
  expect(gate?.sources.map(({ file, line }) => `${file}:${line}`)).toEqual(['yaml:4', 'readme:3']);
  expect(claims.map(({ id, object }) => `${id} ${object ?? ''}`.trim())).toEqual([
    'gate/LoudBells',
    'gate/LoudBells/kubelet kubelet',
    'gate-stage/LoudBells beta',
    'metric/a_b a_b{c="d"}',
    'disable-supported true',
  ]);
  expect(unread.map(({ file, line, kind }) => `${file}:${line} ${kind}`)).toEqual([
    'yaml:10 metric',
    'readme:5 event',
    'readme:6 undefined',
  ]);
});

test('claimsBlock() is read back as the same claims', () => {
  const facts = factsOf(
    '# T\n',
    'feature-gates:\n  - name: LoudBells\n    components:\n      - kubelet\nmetrics:\n  - a_b{c="d"}\n',
  );
  const claims = extractClaims(facts);
  const again = extractClaims(factsOf(`# T\n${claimsBlock(claims)}`));
  expect(again.claims.map(({ id }) => id)).toEqual(claims.claims.map(({ id }) => id).map((id) => id));
  expect(claimsHash({ ...claims, claims: [...claims.claims].reverse() })).toBe(claimsHash(claims));
});

const page = `# TYPE bells_rung_total counter
bells_rung_total{room="hall",code="2\\"0"} 3
# TYPE bells_silent_seconds histogram
# TYPE kubernetes_feature_enabled gauge
kubernetes_feature_enabled{name="LoudBells",stage="ALPHA"} 0
kubernetes_feature_enabled{name="OldBells",stage=""} 1
`;

test('readExposition() and gatesOnPage() read a metrics page', () => {
  const families = readExposition(page);
  expect(families.get('bells_rung_total')).toEqual({
    hasSamples: true,
    labels: new Set(['room="hall"', 'code="2\\"0"']),
  });
  expect(families.get('bells_silent_seconds')?.hasSamples).toBe(false);
  expect(gatesOnPage(page)).toEqual([
    { gate: 'LoudBells', stage: 'ALPHA' },
    { gate: 'OldBells', stage: '' },
  ]);
});

const saw = <T>(value: T): Seen<T> => ({ seen: true, value });
const view: ClusterView = {
  gates: saw(
    new Map([
      ['LoudBells', { stage: 'alpha', components: new Set(['kubelet']) }],
      ['OldBells', { stage: undefined, components: new Set(['kube-proxy']) }],
    ]),
  ),
  metrics: saw(readExposition(page)),
  kinds: saw(new Set(['Bell', 'bells.dev/v1'])),
  eventReasons: saw(new Set(['BellRang'])),
  openApi: saw([
    {
      definitions: {
        Bell: { properties: { status: { allOf: [{ $ref: '#/definitions/BellStatus' }] } } },
        BellStatus: { properties: { loudness: {}, tones: { items: { $ref: '#/definitions/Tone' } } } },
        Tone: { properties: { hertz: {} } },
      },
    },
    {
      components: {
        schemas: {
          Clapper: { properties: { spec: { allOf: [{ $ref: '#/components/schemas/ClapperSpec' }] } } },
          ClapperSpec: { properties: { grams: {} } },
        },
      },
    },
  ]),
};

// kind | subject | object | result | what is said
const claims: [Claim['kind'], string, string | undefined, string, RegExp][] = [
  ['gate-exists', 'LoudBells', undefined, 'verified', /knows the gate/],
  ['gate-exists', 'LoudBell', undefined, 'refuted', /it knows LoudBells/],
  ['gate-reported', 'LoudBells', 'kubelet', 'verified', /reports the gate/],
  ['gate-reported', 'LoudBells', 'kube-proxy', 'refuted', /kubelet does/],
  ['gate-reported', 'LoudBells', 'kubectl', 'unobservable', /no gate at all/],
  ['gate-stage', 'LoudBells', 'alpha', 'verified', /alpha/],
  ['gate-stage', 'LoudBells', 'beta', 'refuted', /says alpha/],
  ['gate-stage', 'OldBells', 'beta', 'unobservable', /no component says/],
  ['metric', 'bells_rung_total', 'bells_rung_total{room}', 'verified', /scraped/],
  ['metric', 'bells_rung_total', 'bells_rung_total{room="attic"}', 'refuted', /room/],
  ['metric', 'bells_rung_total', 'bells_rung_total{room=~"attic|hall"}', 'verified', /scraped/],
  ['metric', 'bells_silent_seconds', 'bells_silent_seconds', 'weak', /no series yet/],
  ['metric', 'bells_lost_total', 'bells_lost_total', 'unobservable', /in use/],
  ['event', 'BellRang', undefined, 'verified', /reason/],
  ['event', 'BellFell', undefined, 'unobservable', /ask again/],
  ['field', '.status.loudness', undefined, 'verified', /has the field/],
  ['field', '.status.tones[*].hertz', undefined, 'verified', /has the field/],
  ['field', '.spec.grams', undefined, 'verified', /has the field/],
  ['field', '.status.colour', undefined, 'refuted', /no kind/],
  ['api', 'Bell', undefined, 'verified', /serves/],
  ['api', 'bells.dev/v2', undefined, 'refuted', /does not serve/],
  ['api', 'Hammer', undefined, 'unobservable', /no kind/],
  ['condition', 'BellReady', undefined, 'unobservable', /kubectl/],
  ['disable-supported', 'disable-supported', 'true', 'skipped', /feature off/],
];

test.each(claims)('judgeClaims(): %s %s %s is %s', (kind, subject, object, result, detail) => {
  const [judged] = judgeClaims([{ id: 'x', kind, subject, object, sources: [] }], view);
  expect(judged).toEqual({ id: 'x', result, detail: expect.stringMatching(detail) });
});

test('judgeClaims() refutes nothing that could not be seen', () => {
  const why = 'not allowed';
  const blind = { seen: false as const, why };
  const dark: ClusterView = { gates: blind, metrics: blind, kinds: blind, eventReasons: blind, openApi: blind };
  const all = claims.map(([kind, subject, object]) => ({ id: kind, kind, subject, object, sources: [] }));
  for (const { id, result, detail } of judgeClaims(all, dark)) {
    if (id === 'disable-supported') continue;
    expect([id, result]).toEqual([id, 'unobservable']);
    if (id !== 'condition') expect(detail).toBe(why);
  }
});

const evidence: Evidence = {
  stage: 'beta',
  claimsHash: 'h',
  serverVersion: 'v1.34.0',
  simulated: true,
  finishedAt: '2026-05-01T10:00:00Z',
  claims: [{ id: 'gate/LoudBells', result: 'verified', detail: 'a: "b"\n# c' }],
};

test('writeEvidence() is read back, a change by hand is seen, and the newest of a stage counts', () => {
  const text = writeEvidence(evidence);
  expect(readEvidence('a.yaml', text)).toEqual({ name: 'a.yaml', edited: false, evidence });
  expect(readEvidence('a.yaml', text.replace('verified', 'weak')).edited).toBe(true);
  expect(readEvidence('a.yaml', '[').evidence).toBeUndefined();
  const older = readEvidence('b.yaml', writeEvidence({ ...evidence, finishedAt: '2026-04-01T10:00:00Z' }));
  const other = readEvidence(
    'c.yaml',
    writeEvidence({ ...evidence, stage: 'alpha', finishedAt: '2026-06-01T10:00:00Z' }),
  );
  expect(newestFor([older, readEvidence('a.yaml', text), other], 'beta')?.name).toBe('a.yaml');
});
