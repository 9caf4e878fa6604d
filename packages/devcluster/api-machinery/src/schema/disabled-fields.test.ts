import { describe, expect, test } from 'vitest';
import { builtInSchema } from './type-table.js';

const pod = (spec: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
const volume = (source: object) => ({ name: 'v', ...source });
const responder = { name: 'example.com/r' };

/** What is left of the spec of a pod of the newest version. */
function left(spec: object, old: object | undefined, on: readonly string[] = []) {
  const object = pod(structuredClone(spec));
  builtInSchema('core.v1.Pod').dropDisabled?.(object, old && pod(old), (gate) => on.includes(gate));
  return object.spec;
}

describe('dropDisabled()', () => {
  const asked = {
    evictionResponders: [responder],
    volumes: [volume({ emptyDir: { mode: 7 } }), volume({ secret: { secretName: 's' } })],
  };
  const all = [volume({ emptyDir: {} }), volume({ secret: { secretName: 's' } })];

  // case | stored | gates that are on | what is kept
  test.each([
    ['drops fields of gates that are off, in lists too', undefined, [], { volumes: all }],
    ['keeps the field of a gate that is on', undefined, ['EmptyDirVolumeMode'], { volumes: asked.volumes }],
    [
      'keeps what the stored object uses elsewhere',
      { volumes: [volume({ emptyDir: { mode: 1 } })] },
      [],
      { volumes: asked.volumes },
    ],
    ['drops what the stored object does not use', { volumes: all }, [], { volumes: all }],
    ['keeps nothing for a null', { evictionResponders: null }, [], { volumes: all }],
  ])('%s', (_, old, on, kept) => {
    expect(left(asked, old, on)).toEqual(kept);
  });

  test('keeps a field of several gates when all are on', () => {
    const slice = builtInSchema('resource.v1.ResourceSlice');
    const device = { name: 'd', nodeAllocatableResources: [] };
    const object = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      metadata: {},
      spec: { devices: [device] },
    };
    slice.dropDisabled?.(object, undefined, (gate) => gate === 'DRANodeAllocatableResources');
    expect(object.spec.devices).toEqual([{ name: 'd', nodeAllocatableResources: [] }]);
    slice.dropDisabled?.(object, undefined, () => false);
    expect(object.spec.devices).toEqual([{ name: 'd' }]);
  });

  // minor version | unknown fields of a pod whose container rules its restarts
  test.each([
    [35, ['spec.volumes[0].emptyDir.mode', 'spec.evictionResponders']],
    [36, ['spec.volumes[0].emptyDir.mode', 'spec.evictionResponders']],
    [37, []],
  ])('fields younger than 1.%i are unknown', (minor, unknown) => {
    const object = pod({ volumes: [volume({ emptyDir: { mode: 7 } })], evictionResponders: [responder] });
    expect(builtInSchema('core.v1.Pod', minor).admit(object).unknown).toEqual(unknown);
  });
});
