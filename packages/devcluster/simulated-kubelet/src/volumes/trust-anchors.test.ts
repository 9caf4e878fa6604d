import type { ClusterTrustBundle } from '@slipway/kube-objects/kinds/api/certificates';
import type { TrustBundleProjection } from '@slipway/kube-objects/kinds/pod-spec';
import { pemBlock, pemBlocks } from '@slipway/kube-objects/rules/pem-blocks';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { trustAnchors } from './trust-anchors.js';

const pem = (text: string) => pemBlock('CERTIFICATE', Buffer.from(text));

function aBundle(name: string, trustBundle: string, signerName?: string, labels = {}): ClusterTrustBundle {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'ClusterTrustBundle',
    metadata: { name, labels },
    spec: { trustBundle, ...(signerName && { signerName }) },
  };
}

const bundles = [
  aBundle('own', `a text\n${pem('1')}between${'\n'}${pem('2')}`),
  aBundle('a.dev:s:1', pem('3'), 'a.dev/s', { alive: 'yes' }),
  aBundle('a.dev:s:2', pem('4') + pem('3'), 'a.dev/s', { alive: 'no' }),
  aBundle('b.dev:s:1', pem('5'), 'b.dev/s', { alive: 'yes' }),
];
const zero = 'combination of signerName and labelSelector matched zero ClusterTrustBundles';

// what a volume asks for | the certificates that it gets, or why it gets none
test.each<[TrustBundleProjection, string]>([
  [{ name: 'own' }, '12'],
  [{ name: 'a.dev:s:2' }, '34'],
  [{ signerName: 'a.dev/s', labelSelector: {} }, '34'],
  [{ signerName: 'a.dev/s', labelSelector: { matchLabels: { alive: 'yes' } } }, '3'],
  [{ signerName: 'b.dev/s', labelSelector: { matchExpressions: [{ key: 'alive', operator: 'Exists' }] } }, '5'],
  [{ signerName: 'a.dev/s' }, zero],
  [{ signerName: 'a.dev/s', optional: true }, ''],
  [{ signerName: 'c.dev/s', labelSelector: {} }, zero],
  [{ name: 'none' }, 'while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io "none" not found'],
  [
    { name: 'none', optional: false },
    'while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io "none" not found',
  ],
  [{ name: 'none', optional: true }, ''],
])('trustAnchors() of %j', (source, expected) => {
  const found = () => {
    try {
      return textOf(trustAnchors(bundles, source));
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(found()).toBe(expected);
});

function textOf(anchors: string): string {
  return pemBlocks(anchors)
    .map(({ bytes }) => bytes.toString())
    .join('');
}

test('trustAnchors() has each certificate once and nothing else, in whatever order bundles are', () => {
  const contents = fc.array(fc.array(fc.string({ minLength: 1 }), { maxLength: 4 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(contents, fc.string(), (all, between) => {
      const text = between.replaceAll('-', '');
      const of = (each: readonly string[], at: number) =>
        aBundle(`s:${at}`, each.map((one) => `${text}\n${pem(one)}`).join(''), 's');
      const source = { signerName: 's', labelSelector: {} };
      const anchors = trustAnchors(all.map(of), source);
      expect(trustAnchors(all.map(of).reverse(), source)).toBe(anchors);
      const found = pemBlocks(anchors).map(({ bytes }) => bytes.toString());
      expect(anchors).toBe(found.map(pem).join(''));
      expect(found.sort()).toEqual([...new Set(all.flat().map((one) => Buffer.from(one).toString()))].sort());
    }),
  );
});
