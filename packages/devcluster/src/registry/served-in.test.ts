import { expect, test } from 'vitest';
import { builtInDefinitions } from '../kinds/catalogue.js';
import { DefinitionRegistry } from './definition-registry.js';
import { servedIn } from './served-in.js';

test('servedIn() leaves out what is younger, and follows what comes and goes', () => {
  const all = new DefinitionRegistry(builtInDefinitions());
  expect(servedIn(all, '1.34').served).toBe(all);
  const { served, close } = servedIn(all, '1.33');
  expect(served.find('storage.k8s.io', 'v1', 'volumeattributesclasses')).toBeUndefined();
  expect(served.find('storage.k8s.io', 'v1', 'csidrivers')).toBeDefined();

  const [configMaps] = all.versionsOf('', 'configmaps');
  const changes: number[] = [];
  served.onChange(({ added, removed }) => changes.push(added.length - removed.length));
  all.replace('', 'configmaps', []);
  expect(served.find('', 'v1', 'configmaps')).toBeUndefined();
  expect(changes).toEqual([-1]);
  close();
  all.replace('', 'configmaps', configMaps ? [configMaps] : []);
  expect(served.find('', 'v1', 'configmaps')).toBeUndefined();
});
