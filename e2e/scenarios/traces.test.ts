import { beforeEach, expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { handsOn, quarter, sized } from '../support/hands-on-nodes.js';
import { eventually, freeGates, upAlone } from '../support/slipway.js';
import { type ReceivedSpan, traceCollector } from '../support/trace-collector.js';

beforeEach((context) => needs(context, 'kubectl'));

const gate = 'MaxUnavailableStatefulSet';

test('a transition and a resize are traces of a collector that is named by the environment', async () => {
  await using collector = await traceCollector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' };
  await using cluster = await upAlone({ kubernetes: freeGates, nodes: 1, args: ['--ephemeral', ...sized], env });
  const on = handsOn(() => cluster);
  expect(await cluster.slipway(['feature', 'on', gate, '--yes', '--wait'])).toMatchObject({ code: 0 });
  await on.setPolicy({});
  await on.policyReady();
  await on.resize('n1', quarter);

  const turning = await eventually('the transition is told', async () =>
    collector.spans.find(
      ({ name, attributes }) =>
        name === 'slipway.feature.transition' &&
        attributes['slipway.feature.gate'] === gate &&
        attributes['slipway.transition.to'] === 'On',
    ),
  );
  expect(turning).toMatchObject({
    service: 'slipway-feature-server',
    attributes: { 'k8s.namespace.name': 'kube-system', 'slipway.transition.result': 'Completed' },
  });
  const tasks = partsOf(turning, collector.spans);
  expect(tasks.map(({ attributes }) => attributes['slipway.task.kind'])).toEqual(
    expect.arrayContaining(['Publish', 'WaitForUses']),
  );

  const resize = await eventually('the resize is told', async () =>
    collector.spans.find(
      ({ name, attributes }) => name === 'slipway.node.resize' && attributes['k8s.node.name'] === 'n1',
    ),
  );
  expect(resize).toMatchObject({
    service: 'slipway-balloon-controller',
    attributes: { 'slipway.resize.result': 'Succeeded', 'slipway.resize.direction': 'Down' },
  });
  expect(partsOf(resize, collector.spans).map(({ name }) => name.split('.').at(-1))).toEqual(
    expect.arrayContaining(['check', 'patch', 'observe']),
  );
}, 120_000);

test('a collector that is away is said on stderr, and the server works on', async () => {
  await using collector = await traceCollector();
  const { url } = collector;
  await collector[Symbol.asyncDispose]();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '100' };
  await using cluster = await upAlone({ kubernetes: freeGates, nodes: 1, args: ['--ephemeral'], env });
  expect(await cluster.slipway(['feature', 'on', gate, '--yes', '--wait'])).toMatchObject({ code: 0 });
  const isSaid = async () => /^warning: a trace could not be sent error=.*ECONNREFUSED/m.test(cluster.log());
  await eventually('it is said', isSaid);
}, 120_000);

/** The spans below one, each of which lies within it. */
function partsOf(whole: ReceivedSpan, spans: readonly ReceivedSpan[]): readonly ReceivedSpan[] {
  const parts = spans.filter(({ traceId, parentSpanId }) => traceId === whole.traceId && parentSpanId === whole.spanId);
  for (const part of parts) {
    expect(BigInt(part.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(whole.startTimeUnixNano));
    expect(BigInt(part.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(whole.endTimeUnixNano));
  }
  expect(parts.length).toBeGreaterThan(0);
  return parts;
}
