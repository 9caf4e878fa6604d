import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ComponentPageReader, readComponentPage } from './component-page.js';

/** As the components of Kubernetes 1.33 write it; the numbers are of no cluster. */
const page = `# HELP apiserver_request_total [STABLE] Counter of apiserver requests.
# TYPE apiserver_request_total counter
apiserver_request_total{code="200",resource="pods",verb="LIST"} 12
# HELP kubernetes_build_info [ALPHA] A metric with a constant '1' value labeled by build.
# TYPE kubernetes_build_info gauge
kubernetes_build_info{build_date="2026-01-01T00:00:00Z",compiler="gc",git_version="v1.33.4",major="1",minor="33"} 1
# HELP kubernetes_feature_enabled [BETA] This metric records the data about the stage and enablement of a k8s feature.
# TYPE kubernetes_feature_enabled gauge
kubernetes_feature_enabled{name="AllAlpha",stage="ALPHA"} 0
kubernetes_feature_enabled{name="ImageVolume",stage="BETA"} 1
kubernetes_feature_enabled{name="LogarithmicScaleDown",stage=""} 1
kubernetes_feature_enabled{name="SeparateCacheWatchRPC",stage="DEPRECATED"} 0
# TYPE process_start_time_seconds gauge
process_start_time_seconds 1.76000000012e+09
# HELP version_info [ALPHA] Provides the compatibility version info of the component.
version_info{binary="1.33.4",component="kube",emulation="1.33",min_compat="1.32"} 1
workqueue_depth{name="a"} 0
`;

test('readComponentPage() finds the gates, the version and the start of a process', () => {
  expect(readComponentPage(page)).toEqual({
    gates: [
      { name: 'AllAlpha', enabled: false, stage: 'Alpha' },
      { name: 'ImageVolume', enabled: true, stage: 'Beta' },
      { name: 'LogarithmicScaleDown', enabled: true, stage: 'GA' },
      { name: 'SeparateCacheWatchRPC', enabled: false, stage: 'Deprecated' },
    ],
    binaryVersion: 'v1.33.4',
    startSeconds: 1_760_000_000.12,
    emulation: '1.33',
    minCompatibility: '1.32',
  });
});

test('ComponentPageReader reads the same however the page is cut', () => {
  const whole = readComponentPage(page);
  const bytes = Buffer.from(page);
  const cuts = fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 30 });
  fc.assert(
    fc.property(cuts, (at) => {
      const reader = new ComponentPageReader();
      const edges = [0, ...at.sort((a, b) => a - b), bytes.length];
      for (let index = 1; index < edges.length; index++) reader.push(bytes.subarray(edges[index - 1], edges[index]));
      expect(reader.page()).toEqual(whole);
    }),
  );
});

test('ComponentPageReader has seen enough before the page ends', () => {
  const reader = new ComponentPageReader();
  expect(reader.push(Buffer.from(page.slice(0, page.indexOf('version_info'))))).toBe(false);
  expect(reader.push(Buffer.from(page.slice(page.indexOf('version_info'))))).toBe(true);
});

// what stands on the page | names of the gates that are read from it
const odd: [string, readonly string[]][] = [
  ['', []],
  ['\0\u{1F4A9}{{{{"""', []],
  ['kubernetes_feature_enabled{name="A",stage="ALPHA"} 2', []],
  ['kubernetes_feature_enabled{name="A",stage="NEW"} 1', []],
  ['kubernetes_feature_enabled{name="../x",stage="ALPHA"} 1', []],
  ['kubernetes_feature_enabled{name="A",stage="ALPHA"', []],
  ['kubernetes_feature_enabled{stage="ALPHA",name="A",} 1 1700000000', ['A']],
  ['kubernetes_feature_enabled{name="A",stage="ALPHA",note="a \\"}\\" b"} 1', ['A']],
  ['other_kubernetes_feature_enabled{name="A",stage="ALPHA"} 1', []],
  [`kubernetes_feature_enabled{name="A",stage="ALPHA",note="${'x'.repeat(20_000)}"} 1`, []],
];

test.each(odd)('readComponentPage(%j) takes %j', (text, names) => {
  expect(readComponentPage(text).gates.map(({ name }) => name)).toEqual(names);
});

test('ComponentPageReader keeps little of a line that never ends, and reads on behind it', () => {
  const reader = new ComponentPageReader();
  for (let megabytes = 0; megabytes < 20; megabytes++) reader.push(Buffer.alloc(1 << 20, 'x'));
  reader.push(Buffer.from(`\n${page}`));
  expect(reader.page().gates).toHaveLength(4);
});

test('readComponentPage() takes no more gates than a vector may have', () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => `kubernetes_feature_enabled{name="G${index}",stage=""} 1`);
  expect(readComponentPage(lines.join('\n')).gates).toHaveLength(4_096);
});
