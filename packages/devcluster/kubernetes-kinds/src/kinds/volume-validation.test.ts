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
];

test.each(volumes)('volume %j', (source, ...errors) => {
  const spec = { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', ...source }] };
  expect(createErrors(pods, { spec })).toEqual(errors);
});
