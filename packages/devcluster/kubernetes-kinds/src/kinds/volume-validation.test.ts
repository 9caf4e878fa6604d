import { labelValueProblems, subdomainProblems } from '@slipway/api-machinery/errors/names';
import { expect, test } from 'vitest';
import { pods } from './pod.js';
import { createErrors } from './testing/write.js';

const octal = 'must be a number between 0 and 0777 (octal), both inclusive';
const hostPathTypes =
  '"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"';
const at = 'spec.volumes[0]';

// source | what is wrong with it
const volumes: [object, ...string[]][] = [
  [
    { emptyDir: { sizeLimit: '-1' } },
    `${at}.emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity`,
  ],
  [{ emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } }],
  [
    { hostPath: { path: '/a/../b', type: 'Folder' } },
    `${at}.hostPath.path: Invalid value: "/a/../b": must not contain '..'`,
    `${at}.hostPath.type: Unsupported value: "Folder": supported values: ${hostPathTypes}`,
  ],
  [{ hostPath: { path: '/a..b', type: 'DirectoryOrCreate' } }],
  [{ configMap: { name: 'c', defaultMode: 0o1000 } }, `${at}.configMap.defaultMode: Invalid value: 512: ${octal}`],
  [
    {
      configMap: {
        name: 'c',
        items: [
          { key: '', path: '/x' },
          { key: 'k', path: '', mode: -1 },
        ],
      },
    },
    `${at}.configMap.items[0].key: Required value`,
    `${at}.configMap.items[0].path: Invalid value: "/x": must be a relative path`,
    `${at}.configMap.items[1].path: Required value`,
    `${at}.configMap.items[1].mode: Invalid value: -1: ${octal}`,
  ],
  [
    {
      projected: {
        defaultMode: 9999,
        sources: [{ configMap: {} }, { serviceAccountToken: { expirationSeconds: 60 } }],
      },
    },
    `${at}.projected.defaultMode: Invalid value: 9999: ${octal}`,
    `${at}.projected.sources[0].configMap.name: Required value`,
    `${at}.projected.sources[1].serviceAccountToken.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes`,
    `${at}.projected.path: Required value`,
  ],
  [{ projected: { sources: [{ serviceAccountToken: { path: 'token' } }, { secret: { name: 's' } }] } }],
  ...(
    [
      [{ name: 'example.com:signer:any', path: 'a' }],
      [{ signerName: 'example.com/signer', labelSelector: { matchLabels: { a: 'b' } }, path: 'a' }],
      [{ path: 'a' }, ': Required value: either name or signerName must be specified'],
      [
        { name: 'n', signerName: 's', path: 'a' },
        ': Invalid value: {"Name":"n","SignerName":"s","LabelSelector":null,"Optional":null,"Path":"a","User":null}: only one of name and signerName may be used',
      ],
      [
        { name: '', labelSelector: {}, path: 'a' },
        '.name: Required value: must be a valid object name',
        `.name: Invalid value: "": not a valid clustertrustbundlename: ${subdomainProblems('')[0]}`,
        '.labelSelector: Invalid value: {}: labelSelector must be unset if name is specified',
      ],
      [
        { signerName: 'signer', labelSelector: { matchLabels: { a: '-' } }, path: '../a' },
        `.signerName: Invalid value: "signer": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
        `.labelSelector.matchLabels: Invalid value: "-": ${labelValueProblems('-')[0]}`,
        `.path: Invalid value: "../a": must not contain '..'`,
      ],
      [{ name: 'n' }, '.path: Required value'],
    ] as [object, ...string[]][]
  ).map(([bundle, ...errors]): [object, ...string[]] => [
    { projected: { sources: [{ clusterTrustBundle: bundle }] } },
    ...errors.map((error) => `${at}.projected.sources[0].clusterTrustBundle${error}`),
  ]),
  ...(
    [
      [{ maxExpirationSeconds: 91 * 86_400, userAnnotations: { 'Example.com/A': '' }, keyPath: 'key' }],
      [
        { keyType: 'DSA' },
        '.keyType: Unsupported value: "DSA": supported values: "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"',
        ': Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath',
      ],
      [
        { maxExpirationSeconds: 3599, userAnnotations: { a: '' }, keyPath: '/key' },
        '.userAnnotations: Invalid value: "a": must be a domain-prefixed key (such as "acme.io/foo")',
        '.maxExpirationSeconds: Invalid value: 3599: if provided, maxExpirationSeconds must be >= 3600',
        '.keyPath: Invalid value: "/key": must be a relative path',
      ],
      [
        { maxExpirationSeconds: 91 * 86_400 + 1, keyPath: 'key' },
        '.maxExpirationSeconds: Invalid value: 7862401: if provided, maxExpirationSeconds must be <= 7862400',
      ],
      [
        { signerName: 'kubernetes.io/s', maxExpirationSeconds: 86_401, keyPath: 'key' },
        '.maxExpirationSeconds: Invalid value: 86401: if provided, maxExpirationSeconds must be <= 86400',
      ],
    ] as [object, ...string[]][]
  ).map(([certificate, ...errors]): [object, ...string[]] => [
    {
      projected: {
        sources: [{ podCertificate: { signerName: 'example.com/s', keyType: 'ED25519', ...certificate } }],
      },
    },
    ...errors.map((error) => `${at}.projected.sources[0].podCertificate${error}`),
  ]),
  [
    {
      projected: {
        sources: [
          { clusterTrustBundle: { name: 'n', path: 'a' } },
          {
            podCertificate: {
              signerName: 'example.com/s',
              keyType: 'ED25519',
              keyPath: 'a',
              certificateChainPath: 'b',
            },
          },
          { downwardAPI: { items: [{ path: 'b', fieldRef: { fieldPath: 'metadata.name' } }] } },
        ],
      },
    },
    `${at}.projected: Invalid value: "a": conflicting duplicate paths`,
    `${at}.projected: Invalid value: "b": conflicting duplicate paths`,
  ],
];

test.each(volumes)('volume %j', (source, ...errors) => {
  const spec = { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', ...source }] };
  expect(createErrors(pods, { spec })).toEqual(errors);
});
