import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@slipway/kube/testing';
import { afterAll, expect, test } from 'vitest';
import { BalloonConfigurationError, readBalloonConfiguration } from './balloon-configuration.js';

const folder = mkdtempSync(join(tmpdir(), 'slipway-balloon-configuration-'));
const secretFile = join(folder, 'secret');
const emptyFile = join(folder, 'empty');
writeFileSync(secretFile, 'hush\n');
writeFileSync(emptyFile, '\n');
afterAll(() => rmSync(folder, { recursive: true }));

const read = (document: unknown) => readBalloonConfiguration(document, new ManualClock());

test('readBalloonConfiguration() makes an actuator of each entry, by its name', () => {
  const { actuators, metrics } = read({
    metrics: '127.0.0.1:9428',
    actuators: [
      { name: 'lab', driver: 'qmp', socket: '/run/vm/{node}.sock' },
      { name: 'own', driver: 'exec', command: ['/usr/bin/resize', '--fast'], env: { REGION: 'a' } },
      { name: 'cloud', driver: 'webhook', url: 'https://resizer.example/', secretFile, resources: ['cpu'] },
      { name: 'none', driver: 'sim', delaySeconds: 0.5, outcomes: ['Failed', 'Done'] },
    ],
  });
  expect([...actuators].map(([name, { resources }]) => `${name}: ${resources.join(' ')}`)).toEqual([
    'lab: memory',
    'own: cpu memory',
    'cloud: cpu',
    'none: cpu memory',
  ]);
  expect(metrics).toEqual({ host: '127.0.0.1', port: 9428 });
  expect(read(null)).toEqual({ actuators: new Map(), metrics: undefined });
});

const one = (actuator: object) => ({ actuators: [{ name: 'a', ...actuator }] });

test.each<[unknown, string]>([
  [[], 'the document: not an object'],
  [{ actuator: [] }, 'the document: no field is called "actuator"; there are actuators, metrics'],
  [{ actuators: {} }, 'actuators: not a list'],
  [{ metrics: 'everywhere' }, 'metrics: must be an address such as 127.0.0.1:9428'],
  [{ actuators: [{ driver: 'sim' }] }, 'actuators[0].name: must be a text'],
  [one({ driver: 'magic' }), 'actuators[0].driver: must be one of exec, webhook, qmp, sim'],
  [one({ driver: 'exec', command: [] }), 'actuators[0].command: names no program'],
  [one({ driver: 'exec', command: 'resize' }), 'actuators[0].command: must be a list of texts'],
  [one({ driver: 'exec', command: ['x'], env: { A: 1 } }), 'actuators[0].env.A: must be a text'],
  [one({ driver: 'webhook', url: 'http://far.example/', secretFile }), 'actuators[0].url: must be an https: address'],
  [one({ driver: 'webhook', url: 'https://far.example/', secretFile: emptyFile }), 'is empty'],
  [one({ driver: 'webhook', url: 'https://far.example/', secretFile: '/no/such' }), 'ENOENT'],
  [one({ driver: 'qmp', socket: '/s', resources: ['cpu'] }), 'no field is called "resources"'],
  [one({ driver: 'sim', delaySeconds: -1 }), 'actuators[0].delaySeconds: must be a number of seconds'],
  [one({ driver: 'sim', outcomes: ['Maybe'] }), '"Maybe" is not one of Done, Partial, Failed, Unknown'],
  [one({ driver: 'sim', resources: ['disk'] }), '"disk" is not one of cpu, memory'],
  [{ actuators: [0, 1].map(() => ({ name: 'a', driver: 'sim' })) }, 'actuators[1].name: "a" is there twice'],
])('readBalloonConfiguration(%j) is refused: %s', (document, says) => {
  expect(() => read(document)).toThrow(BalloonConfigurationError);
  expect(() => read(document)).toThrow(says);
});
