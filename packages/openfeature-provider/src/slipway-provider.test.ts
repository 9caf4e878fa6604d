import { ErrorCode, OpenFeature, ProviderEvents, StandardResolutionReasons } from '@openfeature/server-sdk';
import { createFeatureGate, type StartReportingOptions } from '@slipway/feature-gates';
import { FakeApi, StepClock, settled } from '@slipway/feature-gates/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { SlipwayProvider } from './slipway-provider.js';

afterEach(() => OpenFeature.close());

function aProcess() {
  const gate = createFeatureGate({ component: 'shop', version: '1.4', onWarning: () => {} });
  gate.add({ Fast: { stage: 'Beta', default: true }, Slow: { stage: 'Alpha', default: false } });
  gate.declareLive('Slow');
  const api = new FakeApi();
  api.objects.set('/api/v1/namespaces/kube-system', { metadata: { name: 'kube-system', uid: 'uid-1' } });
  const clock = new StepClock();
  const reporting: StartReportingOptions = {
    transport: api,
    namespace: 'shop',
    instance: 'shop-1',
    dynamicFeatures: ['*'],
    clock,
    random: () => 0.5,
    log: () => {},
  };
  const publish = (value: boolean, epoch: number) =>
    api.put('/apis/features.slipway.dev/v1alpha1/namespaces/shop/features/slow', {
      spec: { gate: 'Slow' },
      status: { published: { value, epoch } },
    });
  return { gate, api, clock, reporting, publish };
}

async function clientOf(gate: ReturnType<typeof createFeatureGate>) {
  await OpenFeature.setProviderAndWait(new SlipwayProvider({ gate }));
  return OpenFeature.getClient();
}

describe('an application asks through OpenFeature', () => {
  test('and gets what the gate says, and why', async () => {
    const { gate } = aProcess();
    gate.set('Slow=true');
    const client = await clientOf(gate);
    expect(await client.getBooleanDetails('Fast', false)).toMatchObject({
      value: true,
      reason: StandardResolutionReasons.DEFAULT,
      flagMetadata: { stage: 'Beta', locked: false },
    });
    expect(await client.getBooleanDetails('Slow', false)).toMatchObject({
      value: true,
      reason: StandardResolutionReasons.STATIC,
    });
  });

  test('which counts as reading the gate', async () => {
    const { gate } = aProcess();
    const client = await clientOf(gate);
    await client.getBooleanValue('Fast', false);
    expect(gate.list().filter(({ read }) => read)).toMatchObject([{ name: 'Fast' }]);
  });

  test('for an unregistered gate, and keeps its own default', async () => {
    const client = await clientOf(aProcess().gate);
    expect(await client.getBooleanDetails('Ghost', true)).toMatchObject({
      value: true,
      errorCode: ErrorCode.FLAG_NOT_FOUND,
      errorMessage: 'feature gate "Ghost" is not registered in this process',
    });
  });

  test('for another type than boolean, and keeps its own default', async () => {
    const client = await clientOf(aProcess().gate);
    expect(await client.getStringDetails('Fast', 'x')).toMatchObject({
      value: 'x',
      errorCode: ErrorCode.TYPE_MISMATCH,
    });
    expect(await client.getNumberDetails('Fast', 7)).toMatchObject({ value: 7, errorCode: ErrorCode.TYPE_MISMATCH });
    expect(await client.getObjectDetails('Fast', {})).toMatchObject({ value: {}, errorCode: ErrorCode.TYPE_MISMATCH });
  });
});

test('a published value changes the gate, and the application is told which one', async () => {
  const { gate, clock, reporting, publish } = aProcess();
  publish(false, 1);
  gate.startReporting(reporting);
  const client = await clientOf(gate);
  const changed: unknown[] = [];
  client.addHandler(ProviderEvents.ConfigurationChanged, (details) => changed.push(details?.flagsChanged));
  publish(true, 2);
  await clock.advance(2_000);
  expect(changed).toEqual([['Slow']]);
  expect(await client.getBooleanValue('Slow', false)).toBe(true);
});

test('while the cluster cannot be heard the last value holds and the provider is stale', async () => {
  const { gate, api, clock, reporting, publish } = aProcess();
  publish(true, 1);
  gate.startReporting(reporting);
  const client = await clientOf(gate);
  const events: string[] = [];
  client.addHandler(ProviderEvents.Stale, () => events.push('stale'));
  api.fault = () => new Error('connection refused');
  api.endWatches(new Error('connection reset'));
  await clock.advance(10_000);
  expect(events).toEqual(['stale']);
  expect(await client.getBooleanDetails('Slow', false)).toMatchObject({
    value: true,
    reason: StandardResolutionReasons.STALE,
  });
  client.addHandler(ProviderEvents.Ready, () => events.push('ready'));
  api.fault = () => undefined;
  await clock.advance(120_000);
  expect(events).toEqual(['stale', 'ready']);
});

test('a start without the cluster neither fails nor hangs, and says that it is stale', async () => {
  const { gate, api, clock, reporting } = aProcess();
  api.fault = () => new Error('connection refused');
  gate.startReporting(reporting);
  const events: string[] = [];
  const started = OpenFeature.setProviderAndWait(new SlipwayProvider({ gate, syncTimeoutMs: 2_000 }));
  OpenFeature.addHandler(ProviderEvents.Ready, () => events.push('ready'));
  OpenFeature.addHandler(ProviderEvents.Stale, () => events.push('stale'));
  await settled();
  await clock.advance(2_000);
  await started;
  await new Promise(setImmediate);
  expect(events).toEqual(['ready', 'stale']);
  expect(await OpenFeature.getClient().getBooleanValue('Fast', false)).toBe(true);
});
