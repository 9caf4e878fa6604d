import { builtInDefinitions } from '@slipway/kubernetes-kinds/kinds/catalogue';
import { expect, test } from 'vitest';
import { compareVersions } from '../discovery/api-resources.js';
import { DefinitionRegistry } from './definition-registry.js';
import { servedIn } from './served-in.js';

test('servedIn() leaves out what is younger, and follows what comes and goes', () => {
  const all = new DefinitionRegistry(builtInDefinitions());
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

// claimed | fields of a CSIDriver that the version does not have
test.each([
  ['1.35', ['spec.preventPodSchedulingIfMissing']],
  ['1.36', []],
  ['1.37', []],
])('a server of %s does not know the fields %j', (version, expected) => {
  const { served, close } = servedIn(new DefinitionRegistry(builtInDefinitions()), version);
  const spec = { preventPodSchedulingIfMissing: true, serviceAccountTokenInSecrets: true };
  const object = { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'd' }, spec };
  expect(served.find('storage.k8s.io', 'v1', 'csidrivers')?.schema.admit(object).unknown).toEqual(expected);
  close();
});

// claimed | versions of MutatingAdmissionPolicy, best first
test.each([
  ['1.33', ['v1alpha1']],
  ['1.34', ['v1beta1', 'v1alpha1']],
  ['1.35', ['v1beta1', 'v1alpha1']],
  ['1.36', ['v1']],
  ['1.37', ['v1']],
])('a server of %s has mutating policies in %j', (version, expected) => {
  const { served, close } = servedIn(new DefinitionRegistry(builtInDefinitions()), version);
  for (const plural of ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings']) {
    const versions = served.versionsOf('admissionregistration.k8s.io', plural).map((one) => one.version);
    expect(versions.sort(compareVersions)).toEqual(expected);
  }
  close();
});
