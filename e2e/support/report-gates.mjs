// A process that reports with our own library, as `slipway feature report-check` starts it.
import process from 'node:process';
import { createFeatureGate, inClusterTransport } from '@slipway/feature-gates';

const {
  SLIPWAY_API_SERVER: server = '',
  SLIPWAY_CREDENTIALS: folder = '',
  SLIPWAY_NAMESPACE: namespace = '',
  SLIPWAY_INSTANCE: instance = '',
  SLIPWAY_RENEW_SECONDS: renewSeconds = '',
} = process.env;

const gate = createFeatureGate({ component: 'acme-library', version: '1.0' });
gate.add({
  FastPath: [{ version: '1.0', stage: 'Alpha', default: false }],
  Another: [{ version: '1.0', stage: 'Beta', default: true }],
});
gate.declareLive('FastPath');
gate.enabled('FastPath');
const reporting = gate.startReporting({
  transport: inClusterTransport({ server, folder }),
  namespace,
  instance,
  startWithinMs: 0,
  renewEveryMs: Number(renewSeconds) * 1000,
  dynamicFeatures: ['*'],
});
const alive = setInterval(() => {}, 1_000_000);
process.once('SIGTERM', async () => {
  await reporting.stop();
  clearInterval(alive);
  process.exit(0);
});
